import Foundation
import Locking

/// Kills a process that takes too long.
///
/// ## Concurrency
/// Call from: any thread. Lock: `state`. Calls out: none.
final class Watchdog: Sendable {
    private enum State {
        case watching, over, hasEnded
    }

    private let state = Locked(State.watching)

    /// - Parameter limit: in seconds from now.
    init(_ process: pid_t, limit: Double) {
        DispatchQueue.global().asyncAfter(deadline: .now() + limit) { [weak self] in
            self?.state.withLock { state in
                guard state == .watching else { return }
                state = .hasEnded
                kill(process, SIGKILL)
            }
        }
    }

    /// Stops watching. Call it before the process is reaped, because its identifier may then be reused.
    ///
    /// - Returns: whether the process was killed.
    func end() -> Bool {
        state.withLock { state in
            defer { if state == .watching { state = .over } }
            return state == .hasEnded
        }
    }
}

/// Reads the standard error of a process while it runs.
///
/// ## Concurrency
/// Call from: any thread. Lock: `bytes`; `text` waits for the group. Calls out: none.
final class Complaints: Sendable {
    private let bytes = Locked(Data())
    private let group = DispatchGroup()

    init(_ handle: FileHandle) {
        group.enter()
        Thread { [self] in
            while true {
                let more = handle.availableData
                if more.isEmpty { break }
                bytes.withLock { $0.append(more) }
            }
            group.leave()
        }.start()
    }

    /// ": " and the last lines, or empty. Waits for the end of the stream.
    var text: String {
        group.wait()
        let all = bytes.withLock { String(decoding: $0, as: UTF8.self) }
        let lines = all.split(whereSeparator: \.isNewline).suffix(3)
        return lines.isEmpty ? "" : ": " + lines.joined(separator: " ")
    }
}
