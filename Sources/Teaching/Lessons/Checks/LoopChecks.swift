public import CoreFoundation
import Foundation
import Locking

/// Exercise 3: keeps a run loop from returning.
public protocol LoopExercise: Sendable {
    init()
    /// Called on the loop's thread, before the loop runs.
    func keepAlive(_ loop: CFRunLoop)
}

/// Exercise 4: dispatches jobs to a thread that sleeps in its run loop.
public protocol HandOverExercise: AnyObject, Sendable {
    /// Called on the loop's thread, before the loop runs.
    init(_ loop: CFRunLoop)
    /// Called on any thread.
    func perform(_ job: @escaping @Sendable () -> Void)
}

/// Exercise 5: adds a timer that fires in each of the common modes.
public protocol ModeExercise: Sendable {
    init()
    /// Called on the loop's thread.
    func add(_ timer: CFRunLoopTimer, to loop: CFRunLoop)
}

extension Verdict {
    /// Checks exercise 3: the loop must not return, and must sleep.
    public static func of(loop exercise: (some LoopExercise).Type) -> Verdict {
        let (loop, wakeUps) = (Locked<CFRunLoop?>(nil), Locked(0))
        let end = onNewThread {
            guard let current = CFRunLoopGetCurrent() else { return }
            Trap.guarding { exercise.init().keepAlive(current) }
            loop.withLock { $0 = current }
            let observer = CFRunLoopObserverCreateWithHandler(
                kCFAllocatorDefault, CFRunLoopActivity.afterWaiting.rawValue, true, 0
            ) { _, _ in wakeUps.withLock { $0 += 1 } }
            CFRunLoopAddObserver(current, observer, kCFRunLoopCommonModes)
            CFRunLoopRun()
        }
        let isAsleep = { loop.withLock { $0.map { CFRunLoopIsWaiting($0) } } == true }
        _ = Patience.until(within: Patience.check) { end.wait(within: 0) || isAsleep() }
        guard let waiting = loop.withLock({ $0 }) else {
            return missing(
                "`keepAlive` did not return, so the thread never ran its loop: add something to the loop, "
                    + "and return.",
                "`keepAlive` 没有返回，线程始终没有运行它的 RunLoop：把可等的东西加进去，然后返回。", stage: (1, 2))
        }
        if end.wait(within: Patience.short) {
            return missing(
                "The run loop returned at once and the thread ended: the loop has no source, "
                    + "timer or port to wait for in the mode it runs in.",
                "RunLoop 立即返回，线程随之退出：它所在的 mode 里没有任何 source、timer 或 port 可等。", stage: (1, 2))
        }
        let count = wakeUps.withLock { $0 }
        CFRunLoopStop(waiting)
        if count > 20 {
            return missing(
                "The run loop does not return, but woke \(count) times in 0.3 s: it must wait for "
                    + "something that does not happen by itself.",
                "RunLoop 没有退出，但 0.3 秒内醒来 \(count) 次：它等待的东西不应自行触发。", stage: (2, 2))
        }
        return solved(3)
    }

    /// Checks exercise 4: a job wakes the sleeping loop, and jobs run in order on the loop's thread.
    public static func of<Exercise: HandOverExercise>(
        handOver exercise: Exercise.Type
    ) -> Verdict {
        let (loop, made) = (Locked<CFRunLoop?>(nil), Locked<Exercise?>(nil))
        _ = onNewThread {
            guard let current = CFRunLoopGetCurrent() else { return }
            let exercise = Exercise(current)
            made.withLock { $0 = exercise }
            loop.withLock { $0 = current }
            CFRunLoopRun()
        }
        let isAsleep = Patience.until {
            loop.withLock { $0.map { CFRunLoopIsWaiting($0) } } == true
        }
        guard isAsleep, let exercise = made.withLock({ $0 }) else {
            return missing(
                "The run loop does not sleep: the source must be added to it in `init`.",
                "RunLoop 没有休眠：应在 `init` 里把 source 加进去。", stage: (1, 3))
        }
        defer { loop.withLock { CFRunLoopStop($0) } }
        let (order, end) = (Locked<[Int]>([]), Moment())
        let isRight = Locked(true)
        for number in 1...3 {
            exercise.perform {
                let isOnLoop = loop.withLock { $0 === CFRunLoopGetCurrent() }
                if !isOnLoop { isRight.withLock { $0 = false } }
                order.withLock { $0.append(number) }
                if number == 3 { end.signal() }
            }
        }
        guard end.wait(within: Patience.check) else {
            return missing(
                "The jobs wait in the list: the source was signalled, but the run loop was not woken.",
                "作业还在列表里：source 已被 signal，但没有人唤醒 RunLoop。", stage: (2, 3))
        }
        guard isRight.withLock({ $0 }) else {
            return missing(
                "A job ran on the caller's thread instead of the run loop's.",
                "作业在调用者的线程上运行，而不是在 RunLoop 的线程上。", stage: (3, 3))
        }
        guard order.withLock({ $0 }) == [1, 2, 3] else {
            return missing(
                "The jobs did not run in the order in which they were dispatched.", "作业没有按转交的顺序运行。",
                stage: (3, 3))
        }
        return solved(4)
    }

    /// Checks exercise 5: the timer fires while the loop runs in another of the common modes, and in the
    /// default mode.
    public static func of(mode exercise: (some ModeExercise).Type) -> Verdict {
        let first = firing(exercise, run: { $0.run(atMost: Patience.long) })
        if first == .isStuck { return neverAdded(stage: (1, 2)) }
        guard first == .hasFired else {
            return missing(
                "The timer did not fire while the loop ran in another mode: it was added to the "
                    + "default mode alone.",
                "RunLoop 处于另一个 mode 时 timer 没有触发：它只被加进了 default mode。", stage: (1, 2))
        }
        let runsDefault: @Sendable (TrackingMode) -> Void = { _ in
            _ = CFRunLoopRunInMode(kCFRunLoopDefaultMode, Patience.long, false)
        }
        let second = firing(exercise, run: runsDefault)
        if second == .isStuck { return neverAdded(stage: (2, 2)) }
        guard second == .hasFired else {
            return missing(
                "The timer did not fire while the loop ran in the default mode, which is one of the "
                    + "common modes as well.",
                "RunLoop 处于 default mode 时 timer 没有触发，而它也是 common mode 之一。", stage: (2, 2))
        }
        return solved(5)
    }

    private static func neverAdded(stage: Stage) -> Verdict {
        missing(
            "`add` did not return, so the thread never ran its loop: add the timer to the loop, and "
                + "return.",
            "`add` 没有返回，线程始终没有运行它的 RunLoop：把 timer 加进去，然后返回。", stage: stage)
    }

    private enum Firing {
        case hasFired
        case hasNotFired
        /// `add` has not returned.
        case isStuck
    }

    /// Whether the reader's timer fires in a run of the loop.
    private static func firing(
        _ exercise: (some ModeExercise).Type, run: @escaping @Sendable (TrackingMode) -> Void
    ) -> Firing {
        let (added, fired, loop) = (Moment(), Moment(), Locked<CFRunLoop?>(nil))
        let end = onNewThread {
            let timer = CFRunLoopTimerCreateWithHandler(
                kCFAllocatorDefault, CFAbsoluteTimeGetCurrent(), 0, 0, 0
            ) { _ in fired.signal() }
            guard let current = CFRunLoopGetCurrent(), let timer else { return }
            let mode = TrackingMode()
            mode.makeCommon(in: current)
            loop.withLock { $0 = current }
            exercise.init().add(timer, to: current)
            added.signal()
            run(mode)
        }
        guard added.wait(within: Patience.check) else {
            // It may run the loop itself.
            if let current = loop.withLock({ $0 }) { CFRunLoopStop(current) }
            return .isStuck
        }
        let hasFired = fired.wait(within: Patience.check)
        if let current = loop.withLock({ $0 }) { CFRunLoopStop(current) }
        _ = end.wait()
        return hasFired ? .hasFired : .hasNotFired
    }
}

/// Prints a sentence when a reader's code stops the process by a fatal error.
enum Trap {
    private static let sentence = Array(
        (Words(
            "`keepAlive` has ended the program. `Port()` does so on Linux, where Foundation's port is "
                + "abstract: a `CFRunLoopSource` is something to wait for as well.",
            "`keepAlive` 让程序终止了。在 Linux 上 `Port()` 就会这样，因为 Foundation 的 port 是抽象的："
                + "`CFRunLoopSource` 同样可以让 RunLoop 等待。"
        ).text(.current(ProcessInfo.processInfo.environment)) + "\n").utf8)

    private static let signals = [SIGILL, SIGTRAP]
    /// Read once: later ones may be those of another thread's `guarding`.
    private static let originals = signals.map { number in
        var action = sigaction()
        sigaction(number, nil, &action)
        return action
    }

    /// Runs the body. A fatal error in it prints the sentence, and ends the process with status 1,
    /// without a backtrace.
    static func guarding(_ body: () -> Void) {
        // Made before the signal, because a signal handler must not allocate.
        _ = sentence
        let originals = originals
        for number in signals {
            signal(number) { _ in
                Trap.sentence.withUnsafeBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                _exit(1)
            }
        }
        body()
        for (number, original) in zip(signals, originals) {
            withUnsafePointer(to: original) { _ = sigaction(number, $0, nil) }
        }
    }
}
