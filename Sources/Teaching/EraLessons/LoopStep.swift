public import EventRecorder
public import Lessons

/// One step of a run loop in a recorded run, with the state after it.
public struct LoopStep: Sendable, Equatable {
    /// What happened.
    public enum Event: Sendable, Equatable {
        /// A request's end was reported, and its socket left the loop.
        case requestEnded
        /// The loop began to run in a mode.
        case mode(String)
        case fellAsleep
        case woke
        /// Another thread signalled the source.
        case signalled(isWoken: Bool)
        case jobRan
        /// Another thread stopped the run in this mode.
        case stopped
        /// The thread has ended.
        case ended
        /// The loop returned, and was run again so often.
        case ranAgain(Int64)
    }

    /// The state of the loop's thread.
    public enum Loop: String, Sendable, CaseIterable {
        case awake, asleep, gone
    }

    /// Milliseconds since the begin of the variant's recording.
    public var time: Double
    /// What happened.
    public var event: Event
    /// What the thread does now.
    public var loop: Loop
    /// The mode in which the loop runs now.
    public var mode: String
    /// Whether the source was signalled and has not run since.
    public var isSignalled: Bool

    /// The steps in a variant's part of a recording, up to the end of what the lesson is about.
    public static func steps(of recording: Recording) -> [LoopStep] {
        // The part may begin with the last events of the former variant's thread, but not with a block.
        let block = recording.events.first { $0.kind == .callback && $0.phase == .begin }
        guard let block else { return [] }
        var steps: [LoopStep] = []
        var state = LoopStep(
            time: 0, event: .woke, loop: .awake, mode: "default", isSignalled: false)
        var hasRun = false
        for event in recording.events {
            let isOfLoop = event.thread == block.thread
            let text = recording.text(of: event)
            switch (event.kind, event.phase) {
            case (.runLoopSleep, .begin) where isOfLoop:
                (state.event, state.loop) = (.fellAsleep, .asleep)
            case (.runLoopSleep, .end) where isOfLoop:
                (state.event, state.loop) = (.woke, .awake)
            case (.runLoopMode, _) where isOfLoop:
                (state.event, state.mode) = (.mode(text), text)
            case (.callback, .begin) where isOfLoop && text == "job":
                (state.event, state.isSignalled, hasRun) = (.jobRan, false, true)
            case (.callback, .begin) where isOfLoop:
                state.event = .requestEnded
            case (.note, _):
                guard let mark = LoopMark(rawValue: text) else { continue }
                state.take(mark, event.value)
            default: continue
            }
            state.time = Double(event.time - min(recording.startTime, event.time)) / 1_000_000
            steps.append(state)
            if hasRun && state.mode == "default" { break }
        }
        return steps
    }

    private mutating func take(_ mark: LoopMark, _ value: Int64) {
        switch mark {
        case .signal: (event, isSignalled) = (.signalled(isWoken: false), true)
        case .signalAndWake: (event, isSignalled) = (.signalled(isWoken: true), true)
        case .stop: event = .stopped
        case .end: (event, loop) = (.ended, .gone)
        case .again: event = .ranAgain(value)
        }
    }

    // MARK: Words

    /// What happened, in one or two sentences.
    public var words: Words {
        switch event {
        case .requestEnded:
            Words(
                "The thread reports the end of its request. The request's socket leaves the loop.",
                "线程报告请求结束。这个请求的 socket 离开 RunLoop。")
        case .mode("default"):
            Words("The loop runs in the default mode again.", "RunLoop 又在 default mode 里运行。")
        case .mode(let name):
            Words(
                "The loop begins to run in the mode \(name).", "RunLoop 开始在 \(name) 这个 mode 里运行。")
        case .fellAsleep where isSignalled:
            Words(
                "The source is signalled, but it is not in this mode: the thread sleeps again.",
                "source 已被 signal，但它不在这个 mode 里：线程又去休眠。")
        case .fellAsleep:
            Words(
                "Nothing is ready in this mode: the thread sleeps in the kernel.",
                "这个 mode 里没有什么可做：线程在内核里休眠。")
        case .woke:
            Words("The kernel wakes the thread.", "内核唤醒线程。")
        case .signalled(isWoken: false):
            Words(
                "Another thread signals the source: a mark in memory. It does not wake the loop.",
                "另一个线程 signal 了 source：只是内存里的一个标记，没有唤醒 RunLoop。")
        case .signalled(isWoken: true):
            Words(
                "Another thread signals the source and wakes the loop.",
                "另一个线程 signal 了 source，并唤醒 RunLoop。")
        case .jobRan:
            Words(
                "The loop finds the mark on the source, removes it, and runs the job.",
                "RunLoop 看到 source 上的标记，清除它，并运行作业。")
        case .stopped:
            Words("Another thread stops the run in this mode.", "另一个线程让这个 mode 里的运行停止。")
        case .ended:
            Words(
                "The loop has nothing to wait for: it returns, and the thread is gone.",
                "RunLoop 没有东西可等：它返回，线程随之退出。")
        case .ranAgain(let count):
            Words(
                "The loop has nothing to wait for and returned. It was run again \(count) times, and "
                    + "never slept.",
                "RunLoop 没有东西可等，于是返回。它又被重新运行了 \(count) 次，从未休眠。")
        }
    }
}
