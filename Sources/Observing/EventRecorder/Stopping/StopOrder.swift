import Foundation

/// An order in which threads pass their sites, one at a time: chosen by a seed, or read from a list.
///
/// Of the threads that take part, one goes at a time, until it reaches its next site, ends, goes to sleep in
/// its run loop, or is about to take a lock that another of them holds. The next one is chosen once each of
/// the others waits for its turn, has ended, or sleeps and is not called. So the machine's speed decides
/// nothing. ``steps`` is the list of the choices; given to ``StopPoints/run(replaying:at:with:_:within:)``
/// it makes them again.
///
/// Threads that do not take part go as they like. One of them that holds a lock for a moment is not seen.
///
/// ## Concurrency
/// Call from: any thread. Lock: that of its ``StopPoints``.
final class StopOrder: @unchecked Sendable {
    // @unchecked because what changes is touched under the lock of the points.
    /// Where the choices come from.
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
    /// Whether a thread came where the list does not have it, or nobody came for too long.
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
        for name in threads { self.threads[name] = OrderedThread(state: .going, isOther: false) }
    }

    // MARK: Under the lock

    /// Whether all threads have ended that were not there before.
    var haveAllEnded: Bool { threads.values.allSatisfy { $0.isOther || $0.hasEnded } }

    /// A thread of the order's own waits for its first turn.
    func begin(_ thread: String) {
        pause(thread, at: .init(line: "\(thread): begins"))
    }

    /// Waits for the turn of a thread that has reached a site, if it takes part.
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
            locks.giveBack(lock)
        default:
            pause(name, at: step)
        }
    }

    /// Nobody waits for a turn any more.
    func finish() {
        isOver = true
        condition.broadcast()
    }

    func end(_ thread: String) {
        threads[thread]?.state = .ended
        if haveAllEnded { return finish() }
        hasGoneOn(thread)
    }

    /// All go on without an order; the last of the steps says where they were.
    func giveUp() {
        guard !isBroken, !isOver else { return }
        isBroken = true
        let places = threads.sorted { $0.key < $1.key }.map { name, thread in
            switch thread.state {
            case .going: "\(name) goes on"
            case .waiting(let turn): turn.line
            case .asleep: "\(name) sleeps"
            case .ended: "\(name) has ended"
            }
        }
        steps.append("(nobody can go on; \(places.joined(separator: "; ")))")
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
            // Only now it is sure that it woke for something that the order has.
            threads[thread]?.hasWoken = false
            passed("\(thread): wakes")
        }
        threads[thread]?.state = .waiting(turn)
        hasGoneOn(thread)
        while granted != thread {
            if isBroken || isOver { return }
            condition.wait()
        }
        granted = nil
        threads[thread]?.state = .going
        if turn.isWakeUp { threads[thread]?.hasWoken = true } else { passed(turn.line) }
    }

    private func sleep(_ thread: String) {
        threads[thread]?.state = .asleep
        threads[thread]?.hasWoken = false
        hasGoneOn(thread)
    }

    private func passed(_ line: String) {
        steps.append(line)
        choice.passed(line)
    }

    // MARK: Jobs

    /// A thread of the order is called by a block that another of them hands to it.
    private func noteJob(_ step: StopStep) {
        switch (step.kind, step.phase) {
        case (.queueSubmit, _): threads[step.text]?.jobs[step.subject] = .init(giver: step.thread)
        case (.queueRun, .begin): threads[step.thread]?.jobs[step.subject] = nil
        default: break
        }
    }

    /// A thread has come to its next place, or its end. Where it holds no lock, it has woken those whom it
    /// has given jobs: an operation wakes its thread behind its lock.
    private func hasGoneOn(_ giver: String) {
        if !locks.holdsAny(giver) {
            for name in threads.keys {
                for (number, job) in threads[name]?.jobs ?? [:] where job.giver == giver {
                    threads[name]?.jobs[number]?.isDue = true
                }
            }
        }
        guard granted == nil, !isBroken, !isOver, !threads.values.contains(where: \.isGoing)
        else { return }
        // Who is called will come; until then it is not known who can be chosen.
        guard !threads.values.contains(where: { $0.isAsleep && $0.isCalled }) else { return }
        granted = choice.next(threads, locks)
        if granted != nil {
            condition.broadcast()
        } else if !threads.values.contains(where: \.isAsleep) {
            giveUp()
        }
    }
}
