import EvolutionExample
import GlobalData

/// `EvolutionVersion3 FILE` shows the content of the file, whichever release wrote it; `EvolutionVersion3 FILE migrate`
/// converts all of it to the form of this release.
@main struct Version3 {
  static func main() async {
    await runExample { store in
      store.register(Reader.self)
      if CommandLine.arguments.last == "migrate" {
        let report = try await store.migrateAll { progress in
          print("looked at \(progress.key), \(progress.completedCount) of \(progress.totalCount)")
        }
        print("migrated: \(report.migratedKeys.joined(separator: ", "))")
        print("unchanged: \(report.unchangedCount)")
      }
      show("owner", in: store) { try store.object(Reader.self, forKey: "owner") }
      show("readers", in: store) { try store.object([Reader].self, forKey: "readers") }
      show("visits", in: store) { try store.object(Int.self, forKey: "visits") }
    }
  }
}
