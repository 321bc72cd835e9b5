import CCurl
import Foundation
import Locking
import Synchronization

/// Ends a call of libcurl that a hostile peer keeps busy.
///
/// libcurl and OpenSSL read for as long as bytes come that belong to no response, and call nothing
/// meanwhile. Such are TLS key updates, HTTP/2 frames without a byte of a body, a proxy's refusal. No
/// option bounds that, so a watchdog thread observes each call. Where one call goes on reading from one
/// connection, the watchdog replaces that connection's socket by one that is not connected. Then the
/// next read fails, the call returns, and the transfer ends with an error.
///
/// Neither the time of libcurl's callbacks counts, nor time in which the thread did not run.
///
/// ## Concurrency
/// Call from: the thread of the multi handle; `look` from the watchdog's. Lock: one around the sockets, held
/// for some system calls by the watchdog, and otherwise only where a connection is opened or closed.
final class CallWatch: Sendable {
    /// Odd while libcurl is called; each call has its own number.
    private let call = Atomic<UInt64>(0)
    private let isCallingBack = Atomic<Bool>(false)
    /// Set in a long call, so that only its callbacks cost reading the clock.
    private let measuresCallbacks = Atomic<Bool>(false)
    /// CPU time of measured callbacks.
    private let callbackTime = Atomic<UInt64>(0)
    private let hasCut = Atomic<Bool>(false)
    /// CPU time of the thread that made this.
    private let clock: clockid_t
    private let sockets = Locked(Sockets())

    private struct Sockets {
        var open: [Int32: Socket] = [:]
        var cut: [Int32] = []
        /// The call that `look` saw last, and the CPU time at which it saw it first.
        var call: UInt64 = 0
        var seenSince: UInt64 = 0
        /// The CPU time at which its callbacks were measured, and none was under way.
        var busySince: UInt64?
    }

    private struct Socket {
        let file: OpenFile?
        /// Bytes received so far, as seen in `call`, and how often `look` saw that number grow.
        var read: Int64 = 0
        var growths = 0
        var call: UInt64 = 0
    }

    /// What `look` found.
    enum Finding {
        /// libcurl was not called since the last look.
        case idle
        case called
        /// The call that the last look saw is still under way.
        case longCall
    }

    /// A connection is cut when one call was seen to read from it so often, and the thread has used so much
    /// CPU time meanwhile. With the watchdog's interval that is a tenth of a second.
    private static let growthsToCut = 4
    /// The CPU time after which a call's callbacks are measured and its sockets are looked at.
    private static let timeToMeasure: UInt64 = 5_000_000
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

    func enter() {
        call.store(call.load(ordering: .relaxed) | 1, ordering: .sequentiallyConsistent)
        Watchdog.shared.wakeUp()
    }

    /// - Returns: the sockets of connections that were cut in the call, mostly none.
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

    /// Runs a callback of libcurl.
    @inline(__always)
    func whileCallingBack<Result>(_ body: () -> Result) -> Result {
        // What a callback calls may call back.
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

    /// To be called before the socket is closed: afterwards its number may be another file's.
    func closes(_ socket: Int32) {
        sockets.withLock { $0.open[socket] = nil }
    }

    // MARK: The watchdog's thread

    /// Whether libcurl is being called.
    var isInside: Bool { call.load(ordering: .sequentiallyConsistent) & 1 == 1 }

    /// Compares with the last look, and cuts a connection from which one call goes on reading.
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
            // In this order: a callback that ends meanwhile is deducted.
            let all = timeSoFar
            guard measuresCallbacks.load(ordering: .relaxed) else {
                // A call also lasts where other threads have the processor: to look at every socket, and at the
                // clock around every callback, would then be most of the work.
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
                // libcurl closes a socket that never connected without a callback, and another thread's
                // file may have the number.
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
                    // The call may return as soon as the socket is replaced, and then waits for the lock.
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

/// The thread that observes all calls of libcurl. It sleeps while there are none.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list. Calls out on: its own thread.
private final class Watchdog: Sendable {
    static let shared = Watchdog()

    private let watches = Locked<[ObjectIdentifier: CallWatch]>([:])
    private let isAsleep = Atomic<Bool>(true)
    private let alarm = DispatchSemaphore(value: 0)
    private let isStarted = Atomic<Bool>(false)

    /// In microseconds.
    private static let interval: UInt32 = 25_000
    private static let intervalInLongCall: UInt32 = 10_000
    /// Looks without a call, after which it goes to sleep.
    private static let idleLooks = 40

    func add(_ watch: CallWatch) {
        watches.withLock { $0[ObjectIdentifier(watch)] = watch }
    }

    func remove(_ watch: CallWatch) {
        watches.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(watch)) }
    }

    /// To be called when libcurl is about to be called. While the thread is awake this reads one variable.
    @inline(__always)
    func wakeUp() {
        if isAsleep.load(ordering: .sequentiallyConsistent) { wakeUpNow() }
    }

    private func wakeUpNow() {
        guard isAsleep.exchange(false, ordering: .sequentiallyConsistent) else { return }
        if isStarted.exchange(true, ordering: .sequentiallyConsistent) {
            alarm.signal()
        } else if !startThread() {
            // The system has no thread to give; the next call tries again.
            isStarted.store(false, ordering: .sequentiallyConsistent)
            isAsleep.store(true, ordering: .sequentiallyConsistent)
        }
    }

    private func startThread() -> Bool {
        var thread = pthread_t()
        let result = pthread_create(
            &thread, nil,
            { _ in
                Thread.current.name = "call watch"
                Watchdog.shared.work()
                return nil
            }, nil)
        if result == 0 { pthread_detach(thread) }
        return result == 0
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

    /// Waits for the next call, unless one is under way.
    private func sleep() {
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        let hasBegun = watches.withLock { $0.values.contains(where: \.isInside) }
        if hasBegun, isAsleep.exchange(false, ordering: .sequentiallyConsistent) { return }
        alarm.wait()
    }
}
