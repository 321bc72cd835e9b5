import Foundation
import Synchronization

/// Hashes a file that is there already, in the place of a download.
///
/// ## Concurrency
/// Call from: any thread; `main` runs on the queue. Lock: `outcome`. Calls out on: nothing.
final class KeptFile: Operation, @unchecked Sendable {
    // @unchecked because the path is constant and the rest is under a lock.
    struct Outcome {
        var began: ContinuousClock.Instant?
        var result: Result<(bytes: Int64, sha256: String), any Error> = .failure(
            CancellationError())
    }

    private let path: String
    private let state = Mutex(Outcome())

    init(path: String) {
        self.path = path
    }

    /// What was found; meaningful when the operation has finished.
    var outcome: Outcome { state.withLock { $0 } }

    override func main() {
        let began = ContinuousClock.now
        let result = Result { try hash() }
        state.withLock { $0 = Outcome(began: began, result: result) }
    }

    private func hash() throws -> (bytes: Int64, sha256: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(action: "open", path: path) }
        defer { close(descriptor) }
        let hash = try SHA256()
        let bytes = try hash.update(reading: descriptor, path: path) { isCancelled }
        if isCancelled { throw CancellationError() }
        return (bytes, hash.finish())
    }
}
