import Foundation

/// An order in which threads pass their sites, one at a time: chosen by a seed, or read from a
/// list.
///
/// Of the threads that take part, one runs until it reaches its next site, ends, sleeps in its run
/// loop, or is about to take a lock that another of them holds. The next one is chosen once each of
/// the others waits to be chosen, has ended, or sleeps and is not woken. So the machine's speed has
/// no influence. ``steps`` is the list of the choices;
/// ``StopPoints/run(replaying:at:with:_:within:)`` repeats them.
///
/// Threads that do not take part run freely. That one of them holds a lock for a moment has no
/// influence.
///
/// ## Concurrency
/// Call from: any thread. Lock: that of its ``StopPoints``.
final class StopOrder: @unchecked Sendable {
    // @unchecked because what changes is used under the lock of the points.
    enum Source {
        case seed(UInt64)
        case list([String])
    }

    private let condition: NSCondition
    private let sites: [StopSite]
    private(set) var threads: [String: OrderedThread] = [:]
    private(set) var locks = OrderLocks()
    private var choice: OrderChoice
    private var granted: String?
    private(set) var steps: [String] = []
    /// Whether it was given up: no thread could continue, or not all ended in time.
    private(set) var isBroken = false
    private var isOver = false

    init(
        _ condition: NSCondition, threads: [String], others: [String], at sites: [StopSite],
        _ source: Source
    ) {
        self.condition = condition
        self.sites = sites
        choice = OrderChoice(source)
        for name in others { self.threads[name] = OrderedThread(state: .asleep, isOther: true) }
        for name in threads { self.threads[name] = OrderedThread(state: .running, isOther: false) }
    }

    // MARK: Under the lock

    var haveAllEnded: Bool { threads.values.allSatisfy { $0.isOther || $0.hasEnded } }

    /// A thread that the order started waits to be chosen first.
    func begin(_ thread: String) {
        pause(thread, at: .init(line: "\(thread): begins"))
    }

    /// Waits until a thread that has reached a site is chosen, if it takes part.
    func wait(_ step: StopStep) {
        let (name, lock) = (step.thread, step.subject)
        guard let thread = threads[name], !thread.hasEnded, !isBroken, !isOver else { return }
        noteJob(step)
        if step.kind == .runLoopSleep, step.phase == .begin { return sleep(name) }
        if thread.isAsleep {
            pause(name, at: .init(line: "\(name): wakes", isWakeUp: true))
        }
        switch (step.kind, step.phase) {
        case (.lockWait, .begin):
            guard locks.isTaken(lock, for: name) else { return locks.waitsForOutside(name) }
            pause(name, at: .init(line: step.description, lock: lock))
        case (.lockWait, .end):
            if locks.hasWaited(name, for: lock) { pause(name, at: step) }
        case (.lockHold, .begin):
            locks.take(lock, name)
            pause(name, at: step)
        case (.lockHold, .end):
            pause(name, at: step)
            locks.unlock(lock)
        default:
            pause(name, at: step)
        }
    }

    /// Lets all threads run freely.
    func finish() {
        isOver = true
        condition.broadcast()
    }

    func end(_ thread: String) {
        threads[thread]?.state = .ended
        if haveAllEnded { return finish() }
        reachedStep(thread)
    }

    /// Lets all threads run without an order; the last step says where they were.
    func stopOrdering() {
        guard !isBroken, !isOver else { return }
        isBroken = true
        let places = threads.sorted { $0.key < $1.key }.map { name, thread in
            switch thread.state {
            case .running: "\(name) runs"
            case .waiting(let turn): turn.line
            case .asleep: "\(name) sleeps"
            case .ended: "\(name) has ended"
            }
        }
        steps.append("(no thread can continue; \(places.joined(separator: "; ")))")
        condition.broadcast()
    }

    private func pause(_ thread: String, at step: StopStep) {
        if sites.contains(where: { $0.fits(step) }) {
            pause(thread, at: .init(line: step.description))
        }
    }

    private func pause(_ thread: String, at turn: OrderedThread.Turn) {
        guard !isBroken, !isOver else { return }
        if !turn.isWakeUp, threads[thread]?.hasWoken == true {
            // Recorded only now: it woke for something that is part of the order.
            threads[thread]?.hasWoken = false
            passed("\(thread): wakes")
        }
        threads[thread]?.state = .waiting(turn)
        reachedStep(thread)
        while granted != thread {
            if isBroken || isOver { return }
            condition.wait()
        }
        granted = nil
        threads[thread]?.state = .running
        if turn.isWakeUp { threads[thread]?.hasWoken = true } else { passed(turn.line) }
    }

    private func sleep(_ thread: String) {
        threads[thread]?.state = .asleep
        threads[thread]?.hasWoken = false
        reachedStep(thread)
    }

    private func passed(_ line: String) {
        steps.append(line)
        choice.passed(line)
    }

    // MARK: Jobs

    /// Records a block that one thread of the order submits to another, or its begin.
    private func noteJob(_ step: StopStep) {
        switch (step.kind, step.phase) {
        case (.queueSubmit, _):
            threads[step.text]?.jobs[step.subject] = .init(submitter: step.thread)
        case (.queueRun, .begin): threads[step.thread]?.jobs[step.subject] = nil
        default: break
        }
    }

    /// Records that a thread has reached its next step, or its end. Where it holds no lock, it has
    /// woken the threads to which it submitted blocks: an operation wakes its thread after
    /// unlocking.
    private func reachedStep(_ submitter: String) {
        if !locks.hasAnyLock(submitter) {
            for name in threads.keys {
                for (number, job) in threads[name]?.jobs ?? [:] where job.submitter == submitter {
                    threads[name]?.jobs[number]?.isDue = true
                }
            }
        }
        guard granted == nil, !isBroken, !isOver, !threads.values.contains(where: \.isRunning)
        else { return }
        // A woken thread will reach a step; only then is it known which threads can be chosen.
        guard !threads.values.contains(where: { $0.isAsleep && $0.isWoken }) else { return }
        granted = choice.next(threads, locks)
        if granted != nil {
            condition.broadcast()
        } else if !threads.values.contains(where: \.isAsleep) {
            stopOrdering()
        }
    }
}
