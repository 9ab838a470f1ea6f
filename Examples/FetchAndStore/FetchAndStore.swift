import Foundation
import GlobalData
import ModelMapping

/// Fetches models from the network, stores them, and shows them.
///
/// With a URL, a run fetches cars, stores them in a collection, and shows the collection. Without a URL, or without a
/// network, it shows the cars that an earlier run stored.
@main
struct FetchAndStore {
  static func main() async {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      if arguments.wantsHelp { return print(Arguments.usage) }
      try await FetchAndStore(arguments: arguments).run()
    } catch let error as UsageError {
      printError("error: \(error)\n\n\(Arguments.usage)")
      exit(2)
    } catch {
      printError("error: \(error)")
      exit(1)
    }
  }

  let arguments: Arguments
  private var cars: GlobalData.ModelCollection<Car> { GlobalData.collection(of: Car.self) }

  func run() async throws {
    var failure: (any Error)?
    if let url = arguments.url {
      do {
        try await fetch(url)
      } catch {
        failure = FetchError(description: "\(url): \(explain(error))")
      }
    }
    try await show()
    if let failure { throw failure }
  }

  /// Stores the cars only if the whole answer was read.
  private func fetch(_ url: URL) async throws {
    let progress = Progress(isShown: arguments.showsProgress)
    defer { progress.end() }
    let data = try await Download(url: url, timeout: arguments.timeout, progress: progress.show).data()
    let (answer, report) = try Answer.decode(json: data)
    let usable = answer.cars.filter { !$0.id.isEmpty }
    try await cars.upsert(usable)
    print("Fetched \(usable.count) cars of \(data.count) bytes.")
    if !report.isEmpty {
      print("What did not fit:")
      for entry in report.entries.prefix(20) { print("  \(entry)") }
      if report.entries.count > 20 { print("  and \(report.entries.count - 20) more") }
    }
  }

  private func show() async throws {
    try await GlobalData.shared.refresh()  // throws if the file cannot be read, which reading a collection cannot
    print("\(cars.count) cars are stored.")
    guard !cars.isEmpty else { return }
    print(Table(cars.filter(sortedBy: [SortDescriptor(\.plate)])))
    let fast = cars.filter(
      #Predicate { $0.isOnline && $0.speed > 60 }, sortedBy: [SortDescriptor(\.speed, order: .reverse)])
    print("Online and faster than 60: \(fast.isEmpty ? "none" : fast.map(\.plate).joined(separator: ", "))")
  }

  private func explain(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    switch error {
    case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
      .valueNotFound(_, let context):
      return
        "the answer cannot be read: \((context.underlyingError as? ModelError)?.description ?? context.debugDescription)"
    @unknown default:
      return "\(error)"
    }
  }
}

func printError(_ message: String, terminator: String = "\n") {
  do {
    try FileHandle.standardError.write(contentsOf: Data((message + terminator).utf8))
  } catch {
    return  // standard error is closed, so there is no stream left to report it
  }
}
