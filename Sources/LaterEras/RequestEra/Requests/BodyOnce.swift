import Foundation
import Locking

/// The caller's stream of a body, which can be read once (AL-27).
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the stream. Calls out: never.
final class BodyOnce: Sendable {
    private let stream: Locked<InputStream?>

    init(_ stream: InputStream) { self.stream = Locked(stream) }

    /// Whether it was given to somebody.
    var isTaken: Bool { stream.withLock { $0 == nil } }

    /// The stream; nil where it was given before.
    func take() -> InputStream? {
        stream.withLock { $0.take() }
    }

    /// The error of a request whose body had to be sent a second time.
    static var usedUp: AFError {
        .multipartEncodingFailed(
            reason: .inputStreamReadFailed(error: URLError(.requestBodyStreamExhausted)))
    }
}
