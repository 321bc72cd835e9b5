import Foundation
import Locking

/// Writes fetched files to standard output: each once it is whole, in the order of the list.
///
/// ## Concurrency
/// Call from: one queue. Lock: one around the results that wait. Calls out: none.
final class FetchOutput: Sendable {
    /// A folder of its own, which is removed at the end.
    let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("eras-fetch-\(UUID().uuidString)").path
    private let state = Locked<(next: Int, waiting: [Int: FetchResult])>((0, [:]))

    /// Writes a file, and those that waited for it. What failed is left out.
    func add(_ result: FetchResult) {
        state.withLock { $0.waiting[result.index] = result }
        while let ready = state.withLock({ state -> FetchResult? in
            guard let result = state.waiting.removeValue(forKey: state.next) else { return nil }
            state.next += 1
            return result
        }) {
            guard ready.error == nil, let path = ready.path else { continue }
            write(path)
        }
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: directory)
    }

    private func write(_ path: String) {
        guard let handle = FileHandle(forReadingAtPath: path) else { return }
        while let piece = try? handle.read(upToCount: 1 << 18), !piece.isEmpty,
            !Console.hasLostOutput
        {
            Console.toOutput(piece)
        }
        try? handle.close()
        unlink(path)
    }
}
