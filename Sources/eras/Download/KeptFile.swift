import Foundation
import Locking

/// A file that existed before its download.
struct FoundFile: Sendable, Equatable {
    var bytes: Int64
    var sha256: String
    /// Whether it was fetched from this URL and has not changed since.
    var isOurs: Bool
}

/// Hashes an existing file of a download's path.
///
/// ## Concurrency
/// Call from: any thread; `main` runs on the queue. Lock: `outcome`. Calls out on: nothing.
final class KeptFile: Operation, @unchecked Sendable {
    // @unchecked because path and address are constant and the rest is under a lock.
    struct Outcome {
        var began: ContinuousClock.Instant?
        var result: Result<FoundFile, any Error> = .failure(CancellationError())
    }

    private let path: String
    private let url: String
    private let state = Locked(Outcome())

    init(path: String, url: String) {
        self.path = path
        self.url = url
    }

    /// The result; valid when the operation has finished.
    var outcome: Outcome { state.withLock { $0 } }

    override func main() {
        let began = ContinuousClock.now
        let result = Result { try look() }
        state.withLock { $0 = Outcome(began: began, result: result) }
    }

    private func look() throws -> FoundFile {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(action: "open", path: path) }
        defer { close(descriptor) }
        let hash = try SHA256()
        let bytes = try hash.update(reading: descriptor, path: path) { isCancelled }
        if isCancelled { throw CancellationError() }
        let isOurs = FileOrigin(url, of: descriptor)?.marks(descriptor) == true
        return FoundFile(bytes: bytes, sha256: hash.finish(), isOurs: isOurs)
    }
}
