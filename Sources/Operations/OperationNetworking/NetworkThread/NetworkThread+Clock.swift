package import Foundation
package import HTTPSemantics

extension NetworkThread {
    /// Runs a block on the thread after a number of seconds of a clock, unless it is cancelled before it
    /// was handed to the thread. The wait takes no thread.
    ///
    /// - Parameters:
    ///   - clock: that of the operation's or session's configuration.
    ///   - modes: run-loop modes, as of `perform(inModes:_:)`.
    /// - Returns: the alarm; `cancel` takes the call back.
    @discardableResult
    package func perform(
        after seconds: TimeInterval, of clock: NetworkClock,
        inModes modes: Set<RunLoop.Mode> = [.common], _ block: @escaping @Sendable () -> Void
    ) -> ClockAlarm {
        clock.wakeUp(after: seconds) { [weak self] in self?.perform(inModes: modes, block) }
    }
}
