import CurlConnection
import Foundation
import HTTPSemantics
import Locking

/// Bytes on their way from the network thread to the queue that writes them.
///
/// It holds a quarter MiB, of which the connections of a try have equal shares; a disk that is slower
/// than the network makes the transfer wait, never its thread.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the bytes. Calls out on: `queue`, or the thread that changes the limit, not
/// under the lock.
final class PartBuffer: Sendable {
    private struct State {
        var waiting = Data()
        /// All bytes taken so far, and how many may be.
        var taken: Int64 = 0
        var limit = Int64.max
        var isScheduled = false
        var failure: (any Error)?
        /// Called when there is space again, or after a failure.
        var moved: @Sendable () -> Void = {}
        /// Whether bytes were refused since the last call.
        var isAwaited = false
        /// Whether the rate allows no bytes now.
        var isHeld = false

        var hasSpace: Bool { failure == nil && !isHeld && waiting.count < most && taken < limit }
        let most: Int

        /// What is to be called after a change.
        mutating func call() -> (@Sendable () -> Void)? {
            guard isAwaited, hasSpace || failure != nil else { return nil }
            isAwaited = false
            return moved
        }
    }

    private let queue: DispatchQueue
    private let store: @Sendable (Data) throws -> Void
    private let rate: SharedRate?
    private let state: Locked<State>

    /// - Parameters:
    ///   - sharers: how many buffers share the quarter MiB.
    ///   - store: called on the queue with the bytes, in order, until it throws.
    init(
        _ queue: DispatchQueue, sharers: Int = 1, rate: SharedRate? = nil,
        store: @escaping @Sendable (Data) throws -> Void
    ) {
        let most = (1 << 18) / max(1, sharers)
        state = Locked(State(most: min(most, rate?.piece ?? most)))
        self.rate = rate
        self.queue = queue
        self.store = store
        // It waits too for what other connections have received before it.
        if let pause = rate?.take(0), pause > 0 { hold(for: pause) }
    }

    /// Where there is none, the block of `whenSpaceAvailable` is called once there is.
    var hasSpace: Bool {
        state.withLock { state in
            if !state.hasSpace { state.isAwaited = true }
            return state.hasSpace
        }
    }

    /// Has a block called, on any thread, when bytes were refused and there is space again, or a failure.
    func whenSpaceAvailable(_ block: @escaping @Sendable () -> Void) {
        state.withLock { $0.moved = block }
    }

    /// Takes no more than so many bytes in all.
    ///
    /// - Returns: false where it has taken more already; then nothing changes.
    func limit(to count: Int64) -> Bool {
        let (isChanged, call) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
            guard state.taken <= count else { return (false, nil) }
            state.limit = count
            return (true, state.call())
        }
        call?()
        return isChanged
    }

    /// Why bytes could not be stored. It is final for a block that is added to `queue` after the last bytes.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Takes as many bytes as there is space for.
    ///
    /// - Returns: how many; nil after a failure.
    func take(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        let (count, mustSchedule) = state.withLock { state -> (Int?, Bool) in
            guard state.failure == nil else { return (nil, false) }
            let left = Int(clamping: max(0, state.limit - state.taken))
            let count = state.isHeld ? 0 : min(bytes.count, state.most - state.waiting.count, left)
            if count < bytes.count { state.isAwaited = true }
            state.taken += Int64(count)
            state.waiting.append(UnsafeBufferPointer(rebasing: bytes[..<count]))
            defer { state.isScheduled = true }
            return (count, !state.isScheduled)
        }
        if mustSchedule { queue.async { self.drain() } }
        if let count, count > 0, let pause = rate?.take(count), pause > 0 { hold(for: pause) }
        return count
    }

    /// Takes no bytes for a time.
    private func hold(for seconds: TimeInterval) {
        state.withLock { $0.isHeld = true }
        queue.asyncAfter(deadline: .now() + seconds) {
            let call = self.state.withLock { state in
                state.isHeld = false
                return state.call()
            }
            call?()
        }
    }

    /// Takes no more bytes, for a reason that came up elsewhere on the queue.
    func fail(_ error: any Error) {
        let call = state.withLock { state in
            state.failure = state.failure ?? error
            state.waiting = Data()
            return state.call()
        }
        call?()
    }

    private func drain() {
        while let piece = next() {
            do {
                try store(piece)
            } catch {
                fail(error)
            }
        }
    }

    /// Takes all bytes, so that more can come while they are written.
    private func next() -> Data? {
        let (piece, call) = state.withLock { state -> (Data?, (@Sendable () -> Void)?) in
            guard !state.waiting.isEmpty else {
                state.isScheduled = false
                return (nil, nil)
            }
            let piece = state.waiting
            state.waiting = Data()
            return (piece, state.call())
        }
        call?()
        return piece
    }
}

/// The output stream of a transfer: it passes bytes to a `PartBuffer` and opens no file.
///
/// ## Concurrency
/// Call from: the network thread. Lock: none; the buffer has its own. Calls out: none.
final class PartOutput: OutputStream, ReadyStream, SpaceReporting {
    private let buffer: PartBuffer?
    private var status = Stream.Status.notOpen

    init(_ buffer: PartBuffer) {
        self.buffer = buffer
        super.init(toMemory: ())
    }

    /// Foundation requires it of a subclass; such a stream takes no bytes.
    required init(toMemory: ()) {
        buffer = nil
        super.init(toMemory: ())
    }

    override var streamStatus: Stream.Status { buffer?.failure == nil ? status : .error }
    override var streamError: (any Error)? { buffer?.failure }
    override var hasSpaceAvailable: Bool { buffer?.hasSpace == true }

    func whenSpaceAvailable(_ block: @escaping @Sendable () -> Void) {
        buffer?.whenSpaceAvailable(block)
    }

    override func open() {
        status = .open
    }

    override func close() {
        status = .closed
    }

    /// No memory stream: its bytes are not the operation's.
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override func write(_ bytes: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        buffer?.take(UnsafeBufferPointer(start: bytes, count: length)) ?? -1
    }
}

/// The bytes that several downloads may receive in a second together.
///
/// Each connection that has received more than there is left waits until that is made up for, behind those that
/// wait already.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the balance. Calls out on: nothing.
package final class SharedRate: Sendable {
    private let bytesPerSecond: Double
    private let state = Locked<(left: Double, instant: ContinuousClock.Instant)>((0.0, .now))

    package init(bytesPerSecond: Int64) {
        self.bytesPerSecond = Double(max(1, bytesPerSecond))
    }

    /// How many bytes one connection may receive before it asks again: those of a twentieth of a second.
    var piece: Int { Int(min(262_144, max(1, bytesPerSecond / 20))) }

    /// Counts received bytes.
    ///
    /// - Returns: the seconds until the connection may receive more.
    func take(_ count: Int, at now: ContinuousClock.Instant = .now) -> TimeInterval {
        state.withLock { state in
            let gained = max(0, (now - state.instant) / .seconds(1)) * bytesPerSecond
            // Time in which nothing was received is not made up for.
            state.left = min(Double(piece), state.left + gained) - Double(count)
            state.instant = max(state.instant, now)
            return max(0, -state.left / bytesPerSecond)
        }
    }
}
