import Foundation
import Locking

/// Writes fetched files to standard output, each once it is complete, in the order of the list.
///
/// ## Concurrency
/// Call from: one queue. Lock: one around the results that wait. Calls out: none.
final class FetchOutput: Sendable {
    /// A temporary folder that only this user can enter; removed at the end.
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("eras-fetch-\(UUID().uuidString)").path
    private let state = Locked<(next: Int, waiting: [Int: FetchResult])>((0, [:]))

    /// Makes the folder.
    func make() throws(DiskError) {
        guard mkdir(directory, 0o700) == 0 else {
            throw DiskError(action: "make the directory", path: directory)
        }
    }

    /// Writes a file, and those that waited for it. Failed ones are left out. A file that cannot be
    /// read is reported, and the output counts as incomplete.
    func add(_ result: FetchResult) {
        state.withLock { $0.waiting[result.index] = result }
        while let ready = state.withLock({ state -> FetchResult? in
            guard let result = state.waiting.removeValue(forKey: state.next) else { return nil }
            state.next += 1
            return result
        }) {
            guard ready.error == nil, let path = ready.path else { continue }
            do {
                try write(path)
            } catch {
                Console.loseOutput(error)
            }
        }
    }

    /// Removes the folder. It repeats this, because a download may still write into it.
    func remove() {
        for _ in 1...5 where access(directory, F_OK) == 0 {
            try? FileManager.default.removeItem(atPath: directory)
        }
    }

    private func write(_ path: String) throws(DiskError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError(action: "open", path: path) }
        defer {
            close(descriptor)
            unlink(path)
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while !Console.hasLostOutput {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw DiskError(action: "read", path: path) }
            guard count > 0, Console.toOutput(Data(buffer[..<count])) else { return }
        }
    }
}
