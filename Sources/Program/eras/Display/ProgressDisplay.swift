import Foundation
import Locking

/// Shows progress on standard error, on a terminal with lines that are redrawn.
///
/// ## Concurrency
/// Call from: any thread. Lock: `state`, also while it writes, so that lines are not mixed. Calls out
/// on: the global queue, for the progress, five times a second or each `plainInterval`.
final class ProgressDisplay: Sendable {
    enum Style: Sendable {
        /// Redrawn lines, and a permanent one for each finished file.
        case terminal
        /// One line for each finished file, and one on all every half a minute.
        case plain
        /// Errors only.
        case quiet
    }

    private struct State {
        var drawn = 0
        var meters: [Int: RateMeter] = [:]
        var meter = RateMeter()
        var timer: (any DispatchSourceTimer)?
    }

    private static let interval = DispatchTimeInterval.milliseconds(200)
    /// On a terminal, longer lists have no lines for fetched files, which would push away what was above.
    private static let shortList = 100

    private let style: Style
    private let isLong: Bool
    private let plainInterval: DispatchTimeInterval
    private let began = ContinuousClock.now
    private let state = Locked(State())

    /// - Parameters:
    ///   - count: how many files there are.
    ///   - plainInterval: the time between the lines of `plain`.
    init(
        _ style: Style, count: Int = 0, plainInterval: DispatchTimeInterval = .seconds(30)
    ) {
        self.style = style
        isLong = count > Self.shortList
        self.plainInterval = plainInterval
    }

    /// In the style for standard error.
    convenience init(isQuiet: Bool = false, count: Int = 0) {
        self.init(isQuiet ? .quiet : Console.isErrorATerminal ? .terminal : .plain, count: count)
    }

    /// Seconds since it was made.
    private var seconds: Double { (ContinuousClock.now - began) / .seconds(1) }

    /// Shows the progress from now on, unless the style is `quiet`.
    func follow(_ progress: @escaping @Sendable () -> FetchProgress) {
        guard style != .quiet else { return }
        let timer = DispatchSource.makeTimerSource(queue: .global())
        let interval = style == .terminal ? Self.interval : plainInterval
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { [weak self] in self?.draw(progress()) }
        timer.resume()
        state.withLock { state in
            state.timer = timer
            state.meter.add(total: 0, at: seconds)
        }
    }

    /// Prints a line for a finished file; some styles show failures alone. Interrupted files are counted at the end.
    func finished(_ result: FetchResult) {
        let isHidden = style == .quiet || style == .terminal && isLong
        guard !result.isInterrupted, !isHidden || result.error != nil else { return }
        say(ProgressText.finished(result))
    }

    /// Prints a line for a file that is tried again.
    func retrying(_ result: FetchResult, _ retry: Retry) {
        if style != .quiet { say(ProgressText.retry(result, retry)) }
    }

    /// Prints a permanent line.
    func say(_ line: String) {
        state.withLock { state in
            Console.toError(Self.erased(&state) + line + "\n")
        }
    }

    /// Ends the redrawing, and prints a summary unless the style is `quiet`.
    ///
    /// - Parameter keepsParts: whether the same command continues after an interruption.
    func end(_ results: [FetchResult], keepsParts: Bool = false) {
        let line = ProgressText.summary(results, seconds: seconds, keepsParts: keepsParts)
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            let rest = style == .quiet ? "" : line + "\n"
            Console.toError(Self.erased(&state) + rest)
        }
    }

    private func draw(_ progress: FetchProgress) {
        let now = seconds
        let size = Console.size
        state.withLock { state in
            guard state.timer != nil else { return }
            state.meter.add(total: progress.received, at: now)
            var meters: [Int: RateMeter] = [:]
            for file in progress.active {
                var meter = state.meters[file.index] ?? RateMeter()
                meter.add(total: file.stored, at: now)
                meters[file.index] = meter
            }
            state.meters = meters
            guard style == .terminal else {
                Console.toError(ProgressText.total(progress, rate: state.meter.rate) + "\n")
                return
            }
            let lines = ProgressText.lines(
                progress, rates: meters.compactMapValues(\.rate), rate: state.meter.rate,
                columns: size.columns, rows: size.rows)
            // Without line wrapping, because the width of letters is not known.
            let text = "\u{1B}[?7l" + lines.joined(separator: "\n") + "\n\u{1B}[?7h"
            Console.toError(Self.erased(&state) + text)
            state.drawn = lines.count
        }
    }

    /// The control sequence that erases the lines drawn last.
    private static func erased(_ state: inout State) -> String {
        defer { state.drawn = 0 }
        return ProgressText.erasing(lines: state.drawn)
    }
}
