import CurlConnection
import TestSupport

/// A stream that takes what its script says.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around all of its state.
final class OutputDouble: OutputStream {
    struct Script {
        /// How many bytes each write takes, in turn, the last one for ever; 0 takes none.
        var takes: [Int] = [.max]
        /// The byte at which it fails.
        var failsAt: Int?
        var hasRoom = true
        /// What it says after it failed.
        var failure: NSError? = OutputDouble.full
        /// Whether it shows the failure by no room, and not by a refused write.
        var failsByRoom = false
    }

    fileprivate struct State {
        var script: Script
        var stored = Data()
        var turn = 0
        var status = Stream.Status.notOpen
        var error: NSError?
        var writesWhenClosed = 0
    }

    static let full = NSError(domain: "OutputDouble", code: 28)

    /// Happens at each look at the room or write that gave nothing.
    let refused = Signal()
    private let state: Locked<State>

    init(_ script: Script) {
        state = Locked(State(script: script))
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        state = Locked(State(script: Script()))
        super.init(toMemory: ())
    }

    var stored: Data { state.withLock { $0.stored } }
    var writesWhenClosed: Int { state.withLock { $0.writesWhenClosed } }

    func giveRoom() {
        state.withLock {
            $0.script.hasRoom = true
            $0.script.takes = [.max]
        }
    }

    override func open() { state.withLock { $0.status = .open } }
    override func close() { state.withLock { $0.status = .closed } }
    override var streamStatus: Stream.Status { state.withLock { $0.status } }
    override var streamError: (any Error)? { state.withLock { $0.error } }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override var hasSpaceAvailable: Bool {
        let hasRoom = state.withLock { state in
            if state.script.failsByRoom, state.stored.count == state.script.failsAt {
                state.status = .error
                state.error = state.script.failure
            }
            return state.status == .open && state.script.hasRoom
        }
        if !hasRoom { refused.fire() }
        return hasRoom
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        let count = state.withLock { $0.take(UnsafeRawBufferPointer(start: buffer, count: length)) }
        if count == 0 { refused.fire() }
        return count
    }
}

extension OutputDouble.State {
    fileprivate mutating func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard status == .open else {
            writesWhenClosed += 1
            return -1
        }
        let limit = script.takes.isEmpty ? 0 : script.takes[min(turn, script.takes.count - 1)]
        turn += 1
        let room = script.failsAt.map { $0 - stored.count } ?? .max
        if room <= 0 {
            status = .error
            error = script.failure
            return -1
        }
        let count = min(bytes.count, limit, room)
        stored.append(contentsOf: bytes.prefix(count))
        return count
    }
}
