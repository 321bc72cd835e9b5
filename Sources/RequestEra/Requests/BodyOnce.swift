import Foundation
import Locking

/// The caller's stream of a body, which can be read once (AL-27).
///
/// ## Concurrency
/// Call from: any thread. Lock: its own, around whether it was taken. Calls out: never.
final class BodyOnce: @unchecked Sendable {
    // @unchecked because the stream is given to one reader, the first who asks.
    private let stream: InputStream
    private let taken = Locked(false)

    init(_ stream: InputStream) { self.stream = stream }

    /// Whether it was given to somebody.
    var isTaken: Bool { taken.withLock { $0 } }

    /// The stream; nil where it was given before.
    func take() -> InputStream? {
        taken.withLock { taken in
            defer { taken = true }
            return taken ? nil : stream
        }
    }

    /// The error of a request whose body had to be sent a second time.
    static var usedUp: AFError {
        .multipartEncodingFailed(
            reason: .inputStreamReadFailed(error: URLError(.requestBodyStreamExhausted)))
    }
}
