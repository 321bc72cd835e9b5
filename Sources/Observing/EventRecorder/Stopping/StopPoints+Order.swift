public import Foundation

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
    ///   - patience: seconds after which all run without an order.
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
        let begins = waits(patience) {
            guard others.allSatisfy(self.isAsleep) else { return false }
            self.order = order
            return true
        }
        guard begins else {
            return Run(steps: ["(not seen to sleep: \(others))"], isComplete: false)
        }
        for (name, block) in threads {
            Thread.detachNewThread { [condition] in
                ThreadName.setOfCurrent(name)
                condition.withLock { order.begin(name) }
                block()
                condition.withLock {
                    order.end(name)
                    condition.broadcast()
                }
            }
        }
        let isOver = waits(patience) { order.haveAllEnded }
        return condition.withLock {
            if !isOver { order.stopOrdering() }
            order.finish()
            self.order = nil
            return Run(steps: order.steps, isComplete: isOver && !order.isBroken)
        }
    }
}
