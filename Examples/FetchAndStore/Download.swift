import Foundation

// Foundation's network classes are in a separate module on systems other than Apple's.
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Fetches the answer of a server over HTTP, and reports progress.
struct Download {
  /// The size of the largest accepted answer, which is kept in memory.
  static let maximumSize = 64 << 20

  let url: URL
  /// The longest time without receiving a byte.
  let timeout: TimeInterval
  /// Called with the number of bytes received, and the total number if the server states it.
  let progress: (Int, Int?) -> Void

  /// - Throws: ``FetchError`` when the answer is not complete and successful; `CancellationError` if the task is cancelled.
  func data() async throws -> Data {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = timeout
    let (events, continuation) = AsyncThrowingStream.makeStream(of: Event.self)
    let session = URLSession(configuration: configuration, delegate: Receiver(continuation), delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    session.dataTask(with: url).resume()

    var data = Data()
    var expected: Int?
    do {
      for try await event in events {
        switch event {
        case .response(let status, let length):
          guard status == 200 else { throw FetchError(description: "the server answered with status \(status)") }
          expected = length
        case .data(let part):
          data += part
          guard data.count <= Download.maximumSize else { throw FetchError(description: "the answer is too long") }
        }
        progress(data.count, expected)
      }
    } catch let error as URLError {
      throw FetchError(description: error.code == .timedOut ? "the server is too slow" : error.localizedDescription)
    }
    try Task.checkCancellation()  // cancelling ends the stream without an error, so the data may be incomplete
    if let expected, data.count != expected {
      throw FetchError(description: "the server went away after \(data.count) of \(expected) bytes")
    }
    return data
  }

  private enum Event: Sendable {
    case response(status: Int, length: Int?)
    case data(Data)
  }

  /// Passes on the calls to a session's delegate, on a thread of the session. It has no state of its own.
  private final class Receiver: NSObject, URLSessionDataDelegate {
    private nonisolated let events: AsyncThrowingStream<Event, any Error>.Continuation

    nonisolated init(_ events: AsyncThrowingStream<Event, any Error>.Continuation) {
      self.events = events
    }

    nonisolated func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      if let response = response as? HTTPURLResponse {
        // The length of a compressed answer is not that of its data, which arrives uncompressed.
        let isCompressed = response.value(forHTTPHeaderField: "Content-Encoding") != nil
        let length = isCompressed ? -1 : response.expectedContentLength
        events.yield(.response(status: response.statusCode, length: length < 0 ? nil : Int(length)))
        completionHandler(.allow)
      } else {
        events.finish(throwing: FetchError(description: "this is not an address of a web server"))
        completionHandler(.cancel)
      }
    }

    nonisolated func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      events.yield(.data(data))
    }

    nonisolated func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      events.finish(throwing: error)
    }
  }
}

/// The reason why a download failed.
struct FetchError: Error, CustomStringConvertible {
  let description: String
}
