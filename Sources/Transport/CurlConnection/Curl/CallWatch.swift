import CCurl
import Foundation
import Locking
import Synchronization

/// Ends a call of libcurl that does not return because a hostile server sends without end.
///
/// Some bytes belong to no response: TLS key updates, HTTP/2 frames without a byte of a body, the body of a proxy's
/// refusal. In one call, libcurl and OpenSSL read as many of them as come, and make no callback meanwhile. No option of
/// libcurl limits that.
///
/// A watchdog thread therefore observes each call. If one call keeps reading from a connection, the watchdog replaces the
/// socket of that connection by one that is not connected. Then the next read fails, the call returns, and the transfer
/// ends with an error.
///
/// The time is measured as CPU time of the thread, without that of libcurl's callbacks.
///
/// ## Concurrency
/// Call from: the thread of the multi handle; `look` from the watchdog's. Lock: one around the sockets. The watchdog makes
/// some system calls under it; the other thread takes it only when a connection is opened or closed.
final class CallWatch: Sendable {
    /// The number of the call; odd while the call is under way.
    private let call = Atomic<UInt64>(0)
    private let isCallingBack = Atomic<Bool>(false)
    /// Set only in a long call, because measuring a callback reads the clock twice.
    private let measuresCallbacks = Atomic<Bool>(false)
    /// The CPU time of all callbacks that were measured.
    private let callbackTime = Atomic<UInt64>(0)
    /// A connection was disconnected in the present call.
    private let hasCut = Atomic<Bool>(false)
    /// Measures the CPU time of the multi handle's thread, which has made this object.
    private let clock: clockid_t
    private let sockets = Locked(Sockets())

    private struct Sockets {
        var open: [Int32: Socket] = [:]
        /// The sockets that were disconnected in the present call.
        var cut: [Int32] = []
        /// The number of the call that `look` has found last.
        var call: UInt64 = 0
        /// The CPU time when `look` found this call for the first time.
        var seenSince: UInt64 = 0
        /// The CPU time, without callbacks, when `look` first measured this call.
        var busySince: UInt64?
    }

    private struct Socket {
        let file: OpenFile?
        /// The number of bytes that were received until the last `look`.
        var read: Int64 = 0
        /// How many times `look` has found, during the call `call`, that this number had grown.
        var growths = 0
        var call: UInt64 = 0
    }

    /// What `look` found.
    enum Finding {
        /// libcurl was not called since the last `look`.
        case idle
        /// libcurl was called since then, or a call has just begun.
        case called
        /// The call that the last `look` has found is still under way.
        case longCall
    }

    /// A connection is disconnected when its `growths` have reached this number and the call has used `timeToCut`: after
    /// about a tenth of a second, with the watchdog's interval.
    private static let growthsToCut = 4
    /// The CPU time of a call, in nanoseconds, after which its callbacks are measured and its sockets are examined.
    private static let timeToMeasure: UInt64 = 5_000_000
    /// The CPU time of a call without its callbacks, in nanoseconds.
    private static let timeToCut: UInt64 = 30_000_000

    init() {
        var clock = clockid_t()
        if pthread_getcpuclockid(pthread_self(), &clock) != 0 { clock = CLOCK_MONOTONIC }
        self.clock = clock
        Watchdog.shared.add(self)
    }

    /// To be called before the last reference is released.
    func end() {
        Watchdog.shared.remove(self)
    }

    // MARK: The thread of the multi handle

    /// To be called before libcurl is called.
    func enter() {
        call.store(call.load(ordering: .relaxed) | 1, ordering: .sequentiallyConsistent)
        Watchdog.shared.wakeUp()
    }

    /// To be called when a call of libcurl has returned.
    ///
    /// - Returns: the sockets that were disconnected during the call, in most cases none.
    func leave() -> [Int32] {
        call.store(call.load(ordering: .relaxed) &+ 1, ordering: .releasing)
        if measuresCallbacks.load(ordering: .relaxed) {
            measuresCallbacks.store(false, ordering: .relaxed)
        }
        guard hasCut.load(ordering: .sequentiallyConsistent) else { return [] }
        hasCut.store(false, ordering: .relaxed)
        return sockets.withLock { sockets in
            defer { sockets.cut = [] }
            return sockets.cut
        }
    }

    @inline(__always)
    func whileCallingBack<Result>(_ body: () -> Result) -> Result {
        // A callback may call libcurl, which then makes a callback inside this one.
        guard !isCallingBack.load(ordering: .relaxed) else { return body() }
        let start = measuresCallbacks.load(ordering: .relaxed) ? timeSoFar : nil
        isCallingBack.store(true, ordering: .relaxed)
        defer {
            if let start {
                let time = callbackTime.load(ordering: .relaxed) &+ (timeSoFar - start)
                callbackTime.store(time, ordering: .relaxed)
            }
            isCallingBack.store(false, ordering: .releasing)
        }
        return body()
    }

    func opened(_ socket: Int32) {
        sockets.withLock {
            $0.open[socket] = Socket(file: OpenFile(socket))
            $0.cut.removeAll { $0 == socket }
        }
    }

    /// To be called before the socket is closed, because another file may get its number afterwards.
    func closes(_ socket: Int32) {
        sockets.withLock { $0.open[socket] = nil }
    }

    // MARK: The watchdog's thread

    /// Whether a call of libcurl is under way.
    var isInside: Bool { call.load(ordering: .sequentiallyConsistent) & 1 == 1 }

    /// Compares with what the last call of this has found, and disconnects a socket from which one call of libcurl keeps
    /// reading.
    func look() -> Finding {
        let number = call.load(ordering: .sequentiallyConsistent)
        let isInside = number & 1 == 1
        return sockets.withLock { sockets in
            guard isInside, number == sockets.call else {
                let isNew = number != sockets.call
                sockets.call = number
                if isInside { sockets.seenSince = timeSoFar }
                sockets.busySince = nil
                return isNew ? .called : .idle
            }
            // Read before `callbackTime`, so that the time of a callback that ends just now is subtracted at least once.
            let all = timeSoFar
            guard measuresCallbacks.load(ordering: .relaxed) else {
                // A call can also last because other threads have the processor. Examining every socket, and reading
                // the clock for every callback, would then cost more than the call.
                if all > sockets.seenSince + Self.timeToMeasure {
                    measuresCallbacks.store(true, ordering: .relaxed)
                }
                return .longCall
            }
            guard !isCallingBack.load(ordering: .acquiring) else { return .longCall }
            let time = all - min(all, callbackTime.load(ordering: .relaxed))
            let since = sockets.busySince ?? time
            sockets.busySince = since
            for (socket, var seen) in sockets.open {
                // libcurl closes a socket that was never connected without a callback, so another thread's file may
                // have this number now.
                guard OpenFile(socket) == seen.file else {
                    sockets.open[socket] = nil
                    continue
                }
                let read = ccurl_bytes_read(socket)
                let growths = seen.growths + (read == seen.read ? 0 : 1)
                (seen.growths, seen.read) = (seen.call == number ? growths : 0, read)
                seen.call = number
                if seen.growths >= Self.growthsToCut, time >= since + Self.timeToCut {
                    guard call.load(ordering: .sequentiallyConsistent) == number else {
                        return .called
                    }
                    // Set before the socket is replaced: the call may return then, and `leave` must wait for the lock.
                    hasCut.store(true, ordering: .sequentiallyConsistent)
                    if ccurl_disconnect(socket) { sockets.cut.append(socket) }
                    seen.call = 0
                }
                sockets.open[socket] = seen
            }
            return .longCall
        }
    }

    private var timeSoFar: UInt64 { ccurl_clock_nanoseconds(clock) }
}

/// The thread that observes the calls of libcurl on all threads. It sleeps while there are no calls.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list. Calls out on: its own thread.
private final class Watchdog: Sendable {
    static let shared = Watchdog()

    private let watches = Locked<[ObjectIdentifier: CallWatch]>([:])
    private let isAsleep = Atomic<Bool>(true)
    private let alarm = DispatchSemaphore(value: 0)
    private let isStarted = Atomic<Bool>(false)

    /// The time between two looks, in microseconds.
    private static let interval: UInt32 = 25_000
    private static let intervalInLongCall: UInt32 = 10_000
    /// The thread goes to sleep after this number of looks at which libcurl was not called.
    private static let idleLooks = 40

    func add(_ watch: CallWatch) {
        watches.withLock { $0[ObjectIdentifier(watch)] = watch }
    }

    func remove(_ watch: CallWatch) {
        watches.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(watch)) }
    }

    /// To be called before libcurl is called. If the thread is awake, this only reads a variable.
    @inline(__always)
    func wakeUp() {
        if isAsleep.load(ordering: .sequentiallyConsistent) { wakeUpNow() }
    }

    private func wakeUpNow() {
        guard isAsleep.exchange(false, ordering: .sequentiallyConsistent) else { return }
        if isStarted.exchange(true, ordering: .sequentiallyConsistent) {
            alarm.signal()
            return
        }
        do throws(ThreadUnavailable) {
            try SystemThread.start {
                Thread.current.name = "call watch"
                Watchdog.shared.work()
            }
        } catch {
            // The next call tries again.
            isStarted.store(false, ordering: .sequentiallyConsistent)
            isAsleep.store(true, ordering: .sequentiallyConsistent)
        }
    }

    private func work() {
        var idleLooks = 0
        while true {
            let findings = watches.withLock { Array($0.values) }.map { $0.look() }
            idleLooks = findings.allSatisfy { $0 == .idle } ? idleLooks + 1 : 0
            if idleLooks > Self.idleLooks {
                idleLooks = 0
                sleep()
            } else {
                usleep(findings.contains(.longCall) ? Self.intervalInLongCall : Self.interval)
            }
        }
    }

    /// Sleeps until the next call, unless one is under way.
    private func sleep() {
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        let hasBegun = watches.withLock { $0.values.contains(where: \.isInside) }
        if hasBegun, isAsleep.exchange(false, ordering: .sequentiallyConsistent) { return }
        alarm.wait()
    }
}
