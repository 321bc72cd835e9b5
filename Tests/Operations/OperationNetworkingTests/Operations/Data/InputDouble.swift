import CurlConnection
import TestSupport

/// A stream that gives what its script says.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around all of its state.
final class InputDouble: InputStream {
    struct Script {
        var data = Pieces.whole
        /// How many bytes each read gives, in turn, then all.
        var gives: [Int] = []
        /// The byte at which it has nothing, until `goOn`.
        var isDryAt: Int?
        /// The byte at which it fails.
        var failsAt: Int?
        var failure: NSError? = InputDouble.broken
    }

    fileprivate struct State {
        var script: Script
        var given = 0
        var turn = 0
        var status = Stream.Status.notOpen
        var error: NSError?
    }

    static let broken = NSError(domain: "InputDouble", code: 5)

    /// Happens at each question to which there is nothing.
    let dry = Signal()
    private let state: Locked<State>

    init(_ script: Script) {
        state = Locked(State(script: script))
        super.init(data: Data())
    }

    func goOn() { state.withLock { $0.script.isDryAt = nil } }

    override func open() { state.withLock { $0.status = .open } }
    override func close() { state.withLock { $0.status = .closed } }
    override var streamStatus: Stream.Status { state.withLock { $0.status } }
    override var streamError: (any Error)? { state.withLock { $0.error } }
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
        false
    }

    override var hasBytesAvailable: Bool {
        let has = state.withLock { $0.status == .open && $0.given != $0.script.isDryAt }
        if !has { dry.fire() }
        return has
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        state.withLock { $0.give(UnsafeMutableRawBufferPointer(start: buffer, count: length)) }
    }
}

extension InputDouble.State {
    fileprivate mutating func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard status == .open else { return -1 }
        if given == script.failsAt {
            status = .error
            error = script.failure
            return -1
        }
        let limit = turn < script.gives.count ? script.gives[turn] : .max
        turn += 1
        let ends = [script.data.count, script.isDryAt ?? .max, script.failsAt ?? .max]
        let room = (ends.filter { $0 >= given }.min() ?? given) - given
        let count = min(buffer.count, limit, room)
        if count == 0 {
            status = .atEnd
            return 0
        }
        script.data.copyBytes(to: buffer, from: given..<(given + count))
        given += count
        return count
    }
}
