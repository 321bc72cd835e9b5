import CCurl
import Foundation
import Locking
import Synchronization

/// Ends a call of libcurl's that a peer keeps busy.
///
/// libcurl and OpenSSL read on for as long as bytes come that are part of no response, and call nobody
/// meanwhile: new keys of TLS, frames of HTTP/2 without a byte of a body, the body of a proxy's refusal. No
/// option bounds that. So a thread looks on. Where one call goes on reading from one connection, that
/// connection's descriptor is given another socket, which is not connected: the next read fails, the call
/// returns, and the exchange ends with an error.
///
/// The time that libcurl's callbacks take does not count, nor does time in which the thread did not run.
///
/// ## Concurrency
/// Call from: the thread of the multi handle; `look` from the watchdog's. Lock: one around the sockets, held
/// for some system calls by the watchdog, and otherwise only where a connection is opened or closed.
final class CallWatch: Sendable {
    /// Odd while libcurl is called; each call has its own number.
    private let call = Atomic<UInt64>(0)
    private let isCallingBack = Atomic<Bool>(false)
    /// Whether the call under way lasts, so that the time of its callbacks is measured.
    private let isMeasured = Atomic<Bool>(false)
    /// What measured callbacks took of the processor's time.
    private let callbackWork = Atomic<UInt64>(0)
    private let hasCut = Atomic<Bool>(false)
    /// The processor's time of the thread.
    private let clock: clockid_t
    private let sockets = Locked(Sockets())

    private struct Sockets {
        /// What the numbers stood for.
        var open: [Int32: OpenFile] = [:]
        var cut: [Int32] = []
        /// The call that was seen last, and since when it was seen to read.
        var call: UInt64 = 0
        var busySince: UInt64?
        /// How many bytes were read from each in all, and how often that number grew in this call.
        var read: [Int32: (count: Int64, growths: Int)] = [:]
    }

    /// A connection is cut when one call was seen to read from it so often, and the thread has worked so long
    /// meanwhile. Together with the watchdog's pace that is a tenth of a second.
    private static let growthsToCut = 4
    private static let workToCut: UInt64 = 30_000_000

    init() {
        var clock = clockid_t()
        if pthread_getcpuclockid(pthread_self(), &clock) != 0 { clock = CLOCK_MONOTONIC }
        self.clock = clock
        Watchdog.shared.add(self)
    }

    /// To be called before it is let go.
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
        if isMeasured.load(ordering: .relaxed) { isMeasured.store(false, ordering: .relaxed) }
        guard hasCut.load(ordering: .sequentiallyConsistent) else { return [] }
        hasCut.store(false, ordering: .relaxed)
        return sockets.withLock { sockets in
            defer { sockets.cut = [] }
            return sockets.cut
        }
    }

    /// Runs what libcurl calls.
    @inline(__always)
    func whileCallingBack<Result>(_ body: () -> Result) -> Result {
        // What a callback calls may call back.
        guard !isCallingBack.load(ordering: .relaxed) else { return body() }
        let start = isMeasured.load(ordering: .relaxed) ? workSoFar : nil
        isCallingBack.store(true, ordering: .relaxed)
        defer {
            if let start { note(workSoFar - start) }
            isCallingBack.store(false, ordering: .releasing)
        }
        return body()
    }

    private func note(_ work: UInt64) {
        callbackWork.store(
            callbackWork.load(ordering: .relaxed) &+ work, ordering: .relaxed)
    }

    func opened(_ socket: Int32) {
        sockets.withLock {
            $0.open[socket] = OpenFile(socket)
            $0.cut.removeAll { $0 == socket }
        }
    }

    /// To be called before it is closed: afterwards its number may be another's.
    func closes(_ socket: Int32) {
        sockets.withLock {
            $0.open[socket] = nil
            $0.read[socket] = nil
        }
    }

    // MARK: The watchdog's thread

    /// Whether libcurl is called, and the number of the call or of the one before.
    var state: (isInside: Bool, call: UInt64) {
        let number = call.load(ordering: .sequentiallyConsistent)
        return (number & 1 == 1, number)
    }

    /// Looks whether the call under way is the one that was seen last, and cuts a connection from which that
    /// goes on reading.
    ///
    /// - Returns: whether there is a call that lasts.
    func look() -> Bool {
        let (isInside, number) = state
        return sockets.withLock { sockets in
            guard isInside, number == sockets.call else {
                sockets.call = isInside ? number : 0
                // From the next look on all callbacks are, but for one that is under way then.
                if isInside { isMeasured.store(true, ordering: .relaxed) }
                sockets.busySince = nil
                sockets.read.removeAll(keepingCapacity: true)
                return false
            }
            // In this order: a callback that ends meanwhile is deducted.
            let all = workSoFar
            guard !isCallingBack.load(ordering: .acquiring) else { return true }
            let work = all - min(all, callbackWork.load(ordering: .relaxed))
            let since = sockets.busySince ?? work
            sockets.busySince = since
            for (socket, file) in sockets.open {
                // libcurl closes a socket by which nothing was connected without a call, and another file, of
                // whatever thread, may have the number.
                guard OpenFile(socket) == file else {
                    sockets.open[socket] = nil
                    sockets.read[socket] = nil
                    continue
                }
                let count = ccurl_bytes_read(socket)
                var seen = sockets.read[socket] ?? (count, 0)
                if count != seen.count { seen = (count, seen.growths + 1) }
                sockets.read[socket] = seen
                guard seen.growths >= Self.growthsToCut, work >= since + Self.workToCut else {
                    continue
                }
                guard call.load(ordering: .sequentiallyConsistent) == number else { return false }
                // The call may return as soon as the socket is replaced, and then waits for the lock.
                hasCut.store(true, ordering: .sequentiallyConsistent)
                if ccurl_disconnect(socket) { sockets.cut.append(socket) }
                sockets.read[socket] = nil
            }
            return true
        }
    }

    private var workSoFar: UInt64 { ccurl_clock_nanoseconds(clock) }
}

/// The thread that looks at all calls of libcurl's. It sleeps while there are none.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list. Calls out on: its own thread.
private final class Watchdog: Sendable {
    static let shared = Watchdog()

    private let watches = Locked<[ObjectIdentifier: CallWatch]>([:])
    private let isAsleep = Atomic<Bool>(true)
    private let alarm = DispatchSemaphore(value: 0)
    private let isStarted = Atomic<Bool>(false)

    private static let pace: UInt32 = 25_000
    private static let paceInLongCall: UInt32 = 10_000
    /// Looks without a call, after which it goes to sleep.
    private static let quietLooks = 40

    func add(_ watch: CallWatch) {
        watches.withLock { $0[ObjectIdentifier(watch)] = watch }
    }

    func remove(_ watch: CallWatch) {
        watches.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(watch)) }
    }

    /// To be called when libcurl is about to be called, and costs one look at a variable while it is awake.
    @inline(__always)
    func wakeUp() {
        if isAsleep.load(ordering: .sequentiallyConsistent) { wakeUpNow() }
    }

    private func wakeUpNow() {
        guard isAsleep.exchange(false, ordering: .sequentiallyConsistent) else { return }
        if isStarted.exchange(true, ordering: .sequentiallyConsistent) {
            alarm.signal()
        } else if !startThread() {
            // The system has no thread to give; the next call asks again.
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
        var lastCalls: [ObjectIdentifier: UInt64] = [:]
        var quiet = 0
        while true {
            var isLong = false
            var isBusy = false
            let all = watches.withLock { $0 }
            var calls: [ObjectIdentifier: UInt64] = [:]
            for (key, watch) in all {
                let state = watch.state
                calls[key] = state.call
                if state.isInside || lastCalls[key] != state.call { isBusy = true }
                if watch.look() { isLong = true }
            }
            lastCalls = calls
            quiet = isBusy ? 0 : quiet + 1
            if quiet > Self.quietLooks {
                quiet = 0
                sleep(after: calls)
            } else {
                usleep(isLong ? Self.paceInLongCall : Self.pace)
            }
        }
    }

    /// Waits for the next call, unless one has begun since the last look.
    private func sleep(after calls: [ObjectIdentifier: UInt64]) {
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        let hasBegun = watches.withLock { watches in
            watches.contains { calls[$0] != $1.state.call }
        }
        if hasBegun, isAsleep.exchange(false, ordering: .sequentiallyConsistent) { return }
        alarm.wait()
    }
}
