public import Foundation

/// Stops threads at the recorder's sites, so that a test or a lesson sees what other threads do
/// meanwhile.
///
/// ```swift
/// let points = try StopPoints()
/// let stop = points.stop(at: StopSite(.delegateCall, .begin, text:
/// "connectionDidFinishLoading(_:)"))
/// operation.start()
/// stop.isReached()        // the network thread is about to call the delegate
/// operation.cancel()
/// stop.letGo()
/// let recording = points.end()
/// ```
///
/// It records from its creation until ``end()``, or until it is released: every site of the package
/// is one of the recorder's, and costs nothing extra without it. A thread that reaches a site under a
/// lock is stopped under it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one condition around all of it. Calls out: never.
public final class StopPoints: @unchecked Sendable {
    // @unchecked because what changes is used under the condition's lock alone.
    let condition = NSCondition()
    private var stops: [Stop] = []
    private var names: [UInt64: String] = [:]
    private var steps: [StopStep] = []
    private var asleep: Set<String> = []
    private var isOver = false
    var order: StopOrder?
    private var listener: UInt64 = 0
    private var recording: UInt32 = 0

    /// The most steps that ``passed`` has.
    private static let stepLimit = 1 << 16

    /// Begins to record, with threads that can be stopped.
    ///
    /// - Parameter capacity: of the recording, in events.
    /// - Throws: ``EventRecorderError/alreadyRecording``.
    public init(capacity: Int = 1 << 20) throws {
        try EventRecorder.start(capacity: capacity)
        recording = EventRecorder.recording
        // A stopped thread retains its stop alone, so that these points can be released meanwhile.
        listener = EventListeners.add { [weak self] event in
            guard let (step, stop, ticket) = self?.reached(event) else { return }
            stop.hold(ticket)
            self?.continued(step)
        }
        EventRecorder.whenStopped(listener) { [weak self] in self?.letAllGo() }
    }

    deinit {
        letAllGo()
        EventListeners.remove(listener)
        // It is 0 where `init` has thrown, and the recording is another's.
        if recording != 0, EventRecorder.recording == recording { _ = EventRecorder.stop() }
    }

    /// Releases all stopped threads, and ends the recording.
    @discardableResult
    public func end() -> Recording {
        letAllGo()
        EventListeners.remove(listener)
        return EventRecorder.stop()
    }

    private func letAllGo() {
        condition.withLock {
            isOver = true
            for stop in stops { stop.isOpen = true }
            order?.finish()
            condition.broadcast()
        }
    }

    // MARK: - Sites

    /// Names a subject in steps and orders, because its number differs in each run.
    public func name(_ subject: UInt64, _ name: String) {
        condition.withLock { names[subject] = name }
    }

    /// Stops each thread that reaches a site from now on, until ``Stop/letGo()``.
    public func stop(at site: StopSite) -> Stop {
        condition.withLock {
            let stop = Stop(site, condition)
            stops.append(stop)
            return stop
        }
    }

    /// The sites that threads have passed or reached since the beginning, 65,536 steps at most.
    public var passed: [StopStep] { condition.withLock { steps } }

    /// Waits until a site has been reached a number of times; also one that stops no thread. Only the
    /// steps that ``passed`` has are counted.
    ///
    /// - Parameter patience: seconds.
    /// - Returns: false where that does not happen in time.
    public func isPassed(
        _ site: StopSite, count: Int = 1, within patience: TimeInterval = 60
    ) -> Bool {
        condition.waits(patience) { self.steps.count { site.fits($0) } >= count }
    }

    /// Whether a thread's run loop was last recorded going to sleep; under the lock.
    func isAsleep(_ thread: String) -> Bool { asleep.contains(thread) }

    // MARK: - On the thread that reaches a site

    /// - Returns: where the thread must be stopped; nil where it may continue.
    private func reached(_ event: Event) -> (step: StopStep, stop: Stop, ticket: Int)? {
        condition.withLock {
            guard !isOver else { return nil }
            let step = StopStep(event, name: names[event.subject] ?? "")
            if steps.count < Self.stepLimit { steps.append(step) }
            if step.kind == .runLoopSleep {
                if step.phase == .begin {
                    asleep.insert(step.thread)
                } else {
                    asleep.remove(step.thread)
                }
            }
            condition.broadcast()
            guard let stop = stops.first(where: { !$0.isOpen && $0.site.fits(step) }) else {
                order?.wait(step)
                return nil
            }
            return (step, stop, stop.arrived(step))
        }
    }

    private func continued(_ step: StopStep) {
        condition.withLock { order?.wait(step) }
    }
}

extension NSCondition {
    /// Waits under the lock until a condition is true; false where that does not happen in time.
    fileprivate func waits(_ patience: TimeInterval, _ isSo: () -> Bool) -> Bool {
        let limit = Date(timeIntervalSinceNow: patience)
        return withLock {
            while !isSo() {
                guard wait(until: limit) else { return isSo() }
            }
            return true
        }
    }
}

/// One site at which threads are stopped.
///
/// ## Concurrency
/// Call from: any thread. Lock: that of its ``StopPoints``.
public final class Stop: @unchecked Sendable {
    // @unchecked because what changes is used under the lock of the points.
    /// Where threads are stopped.
    public let site: StopSite
    private let condition: NSCondition
    fileprivate var isOpen = false
    private var waiting: [(ticket: Int, step: StopStep)] = []
    private var arrivals = 0
    /// How many stopped threads may continue.
    private var passes = 0

    fileprivate init(_ site: StopSite, _ condition: NSCondition) {
        self.site = site
        self.condition = condition
    }

    /// - Returns: the thread's ticket; under the lock.
    fileprivate func arrived(_ step: StopStep) -> Int {
        arrivals += 1
        waiting.append((arrivals, step))
        return arrivals
    }

    fileprivate func hold(_ ticket: Int) {
        condition.withLock {
            while !isOpen, ticket > passes { condition.wait() }
            waiting.removeAll { $0.ticket == ticket }
            condition.broadcast()
        }
    }

    /// Waits until a number of threads are stopped here.
    ///
    /// - Parameter patience: seconds.
    /// - Returns: false where that does not happen in time.
    @discardableResult
    public func isReached(count: Int = 1, within patience: TimeInterval = 60) -> Bool {
        condition.waits(patience) { self.waiting.count >= count }
    }

    /// The threads that are stopped here, in the order in which they arrived.
    public var held: [StopStep] { condition.withLock { waiting.map(\.step) } }

    /// Releases all stopped threads, and stops no more.
    public func letGo() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }

    /// Releases the thread that has waited longest; the next one to arrive is stopped again.
    public func letOneGo() {
        condition.withLock {
            if passes < arrivals { passes += 1 }
            condition.broadcast()
        }
    }
}

extension StopPoints {
    /// The result of an ordered run.
    public struct Run: Sendable {
        /// The choices, one on each line, which can be replayed.
        public let steps: [String]
        /// Whether every thread ended, in an order that the list allowed.
        public let isComplete: Bool
    }

    /// Runs blocks on threads of their own, which pass sites one at a time, in an order made by a
    /// seed.
    ///
    /// Of the threads that take part, only one runs at a time; afterwards none is stopped any more.
    /// They may wait for one another's recorded locks, and for nothing else that another of them
    /// does.
    ///
    /// - Parameters:
    ///   - seed: the same seed chooses the same order where the threads do the same.
    ///   - sites: where they wait to be chosen. They also wait where they begin, where their run
    ///     loop wakes, and where another of them holds the lock that they are about to take.
    ///   - others: names of existing threads, such as a network thread, that take part. The order
    ///     begins when each has been recorded sleeping in its run loop: schedule a block on it.
    ///   - threads: the blocks by the names of their threads, 15 bytes at most.
    ///   - patience: seconds after which all run without an order. The wait for `others` lasts at
    ///     most as long too.
    public func run(
        seed: UInt64, at sites: [StopSite], with others: [String] = [],
        _ threads: [String: @Sendable () -> Void], within patience: TimeInterval = 60
    ) -> Run {
        run(threads, others, at: sites, .seed(seed), patience)
    }

    /// Runs blocks in the order of a list that an earlier run has printed.
    ///
    /// A thread waits at a site for its step, and passes sites that are not in the rest of the
    /// list. What is not recorded must be the same as in the earlier run: what a server sends must
    /// be delayed, or be there already.
    public func run(
        replaying steps: [String], at sites: [StopSite], with others: [String] = [],
        _ threads: [String: @Sendable () -> Void], within patience: TimeInterval = 60
    ) -> Run {
        run(threads, others, at: sites, .list(steps), patience)
    }

    private func run(
        _ threads: [String: @Sendable () -> Void], _ others: [String], at sites: [StopSite],
        _ source: StopOrder.Source, _ patience: TimeInterval
    ) -> Run {
        let order = StopOrder(
            condition, threads: Array(threads.keys), others: others, at: sites, source)
        let begins = condition.waits(patience) {
            guard others.allSatisfy(self.isAsleep) else { return false }
            self.order = order
            return true
        }
        guard begins else {
            return Run(steps: ["(not seen to sleep: \(others))"], isComplete: false)
        }
        for (name, block) in threads {
            Thread.detachNewThread { [condition] in
                EventRecorder.nameThread(name)
                condition.withLock { order.begin(name) }
                block()
                condition.withLock {
                    order.end(name)
                    condition.broadcast()
                }
            }
        }
        let isOver = condition.waits(patience) { order.haveAllEnded }
        return condition.withLock {
            if !isOver { order.stopOrdering() }
            order.finish()
            self.order = nil
            return Run(steps: order.steps, isComplete: isOver && !order.isBroken)
        }
    }
}
