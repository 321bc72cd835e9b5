import CoreFoundation
@testable import Lessons
import SmallPort8Completion
import Synchronization
import TestSupport

/// What readers hand in that looks solved: each with a part of the sentence that refuses it.
struct FalseSolution: Sendable, CustomStringConvertible {
    let lesson: Int
    let name: String
    let sentence: String
    let judge: @Sendable () -> Verdict

    var description: String { "\(lesson), \(name)" }

    init(
        _ lesson: Int, _ name: String, refusedBy sentence: String,
        _ judge: @escaping @Sendable () -> Verdict
    ) {
        self.lesson = lesson
        self.name = name
        self.sentence = sentence
        self.judge = judge
    }

    static let all = connections + sessions + port

    /// Of the lessons about one connection, 1 to 9.
    private static let connections = [
        FalseSolution(1, "stops after the first", refusedBy: "Line 6 has a message") {
            .of(turns: FirstOnly.self)
        },
        FalseSolution(1, "does not return", refusedBy: "`wait` does not return") {
            .of(turns: Endless.self)
        },
        FalseSolution(2, "two threads", refusedBy: "8 lines took 2 threads") {
            .of(threads: TwoThreads.self)
        },
        FalseSolution(3, "a fast timer", refusedBy: "does not happen by itself") {
            .of(loop: FastTimer.self)
        },
        FalseSolution(3, "a source in another mode", refusedBy: "returned at once") {
            .of(loop: OtherMode.self)
        },
        FalseSolution(3, "does not return", refusedBy: "`keepAlive` did not return") {
            .of(loop: NeverReturns.self)
        },
        FalseSolution(3, "runs the loop itself", refusedBy: "`keepAlive` did not return") {
            .of(loop: RunsItself.self)
        },
        FalseSolution(4, "on the caller's thread", refusedBy: "the caller's thread") {
            .of(handOver: CallersThread.self)
        },
        FalseSolution(4, "last in, first out", refusedBy: "did not run in the order") {
            .of(handOver: LastFirst.self)
        },
        FalseSolution(5, "in the other mode alone", refusedBy: "Stage 2 of 2. The timer") {
            .of(mode: OtherModeAlone.self)
        },
        FalseSolution(5, "does not return", refusedBy: "Stage 1 of 2. `add` did not return") {
            .of(mode: AddsForEver.self)
        },
        FalseSolution(6, "one of two announcements", refusedBy: "without KVO calls") {
            .of(announcement: OneOfTwo.self)
        },
        FalseSolution(6, "executes for ever", refusedBy: "so is `isExecuting` still") {
            .of(announcement: StillExecuting.self)
        },
        FalseSolution(7, "no lock", refusedBy: "must be one step") { .of(lock: NoLock.self) },
        FalseSolution(8, "closes where it is called", refusedBy: "the thread that called") {
            .of(cancel: ClosesHere.self)
        },
        FalseSolution(8, "never finishes", refusedBy: "never finished") {
            .of(cancel: NeverFinishes.self)
        },
        FalseSolution(9, "gives up, and is content", refusedBy: "did not throw an error") {
            .of(write: GivesUp.self)
        },
        FalseSolution(9, "tries for ever", refusedBy: "a sink that is full stays full") {
            .of(write: TriesForEver.self)
        },
    ]
}

// MARK: - 1 and 2

private struct FirstOnly: WaitingExercise {
    func wait(for lines: Lines, _ reported: @escaping @Sendable (Int, String) -> Void) {
        Polling.tell(Array(lines.descriptors.enumerated()), atMost: 1, reported)
    }
}

private struct Endless: WaitingExercise {
    func wait(for lines: Lines, _ reported: @escaping @Sendable (Int, String) -> Void) {
        Polling.tell(Array(lines.descriptors.enumerated()), reported)
        DispatchSemaphore(value: 0).wait()
    }
}

private struct TwoThreads: WaitingExercise {
    func wait(for lines: Lines, _ reported: @escaping @Sendable (Int, String) -> Void) {
        let all = Array(lines.descriptors.enumerated())
        let isOver = DispatchSemaphore(value: 0)
        for half in 0...1 {
            Thread.detachNewThread {
                Polling.tell(all.filter { $0.offset % 2 == half }, reported)
                isOver.signal()
            }
        }
        for _ in 0...1 { isOver.wait() }
    }
}

private enum Polling {
    /// Tells of lines as they speak, on this thread.
    static func tell(
        _ lines: [(offset: Int, element: Int32)], atMost limit: Int = .max,
        _ reported: (Int, String) -> Void
    ) {
        var (open, count) = (lines, 0)
        while !open.isEmpty, count < limit {
            var places = open.map { pollfd(fd: $0.element, events: Int16(POLLIN), revents: 0) }
            guard poll(&places, nfds_t(places.count), -1) > 0 else { continue }
            for (line, place) in zip(open, places) where place.revents != 0 && count < limit {
                var bytes = [UInt8](repeating: 0, count: 64)
                let length = read(line.element, &bytes, bytes.count)
                reported(line.offset, String(decoding: bytes.prefix(max(length, 0)), as: UTF8.self))
                open.removeAll { $0.offset == line.offset }
                count += 1
            }
        }
    }
}

// MARK: - 3 and 4

private struct FastTimer: LoopExercise {
    func keepAlive(_ loop: CFRunLoop) {
        let timer = CFRunLoopTimerCreateWithHandler(
            kCFAllocatorDefault, CFAbsoluteTimeGetCurrent(), 0.001, 0, 0
        ) { _ in }
        CFRunLoopAddTimer(loop, timer, kCFRunLoopCommonModes)
    }
}

private struct OtherMode: LoopExercise {
    func keepAlive(_ loop: CFRunLoop) {
        var context = CFRunLoopSourceContext()
        context.perform = { _ in }
        let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        let name = CFStringCreateWithCString(
            kCFAllocatorDefault, "another", CFStringBuiltInEncodings.UTF8.rawValue)
        CFRunLoopAddSource(loop, source, name)
    }
}

/// Returns long after its check has ended, because that resets signal handlers.
private struct NeverReturns: LoopExercise {
    func keepAlive(_ loop: CFRunLoop) {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 60)
    }
}

private struct RunsItself: LoopExercise {
    func keepAlive(_ loop: CFRunLoop) {
        let timer = CFRunLoopTimerCreateWithHandler(
            kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 1e6, 0, 0, 0
        ) { _ in }
        CFRunLoopAddTimer(loop, timer, kCFRunLoopCommonModes)
        CFRunLoopRunInMode(kCFRunLoopDefaultMode, 60, false)
        CFRunLoopTimerInvalidate(timer)
    }
}

private final class KeptLoop: @unchecked Sendable {
    // @unchecked because the loop is only woken.
    let loop: CFRunLoop

    init(_ loop: CFRunLoop) {
        self.loop = loop
        var context = CFRunLoopSourceContext()
        context.perform = { _ in }
        let source = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        CFRunLoopAddSource(loop, source, kCFRunLoopCommonModes)
    }
}

private final class CallersThread: HandOverExercise {
    private let kept: KeptLoop

    init(_ loop: CFRunLoop) { kept = KeptLoop(loop) }

    func perform(_ job: @escaping @Sendable () -> Void) { job() }
}

private final class LastFirst: HandOverExercise {
    private let kept: KeptLoop
    private let jobs = Watched<[@Sendable () -> Void]>([])

    init(_ loop: CFRunLoop) { kept = KeptLoop(loop) }

    func perform(_ job: @escaping @Sendable () -> Void) {
        jobs.change { $0.append(job) }
        // The loop is not woken before all have come, so the order does not hang on luck.
        guard jobs.now.count == 3 else { return }
        let all = jobs.now
        CFRunLoopPerformBlock(kept.loop, kCFRunLoopCommonModes) {
            for job in all.reversed() { job() }
        }
        CFRunLoopWakeUp(kept.loop)
    }
}

// MARK: - 5 and 6

private struct OtherModeAlone: ModeExercise {
    func add(_ timer: CFRunLoopTimer, to loop: CFRunLoop) {
        let name = CFStringCreateWithCString(
            kCFAllocatorDefault, "tracking", CFStringBuiltInEncodings.UTF8.rawValue)
        CFRunLoopAddTimer(loop, timer, name)
    }
}

private struct AddsForEver: ModeExercise {
    func add(_ timer: CFRunLoopTimer, to loop: CFRunLoop) { DispatchSemaphore(value: 0).wait() }
}

/// Announces `isExecuting` at its start and `isFinished` at its end, and nothing else.
private class AnnouncesTwo: Operation, AnnouncementExercise, @unchecked Sendable {
    // @unchecked because both flags are atomic.
    private let thread: NetworkThread
    private let announcements: Announcements
    fileprivate let isRunning = Atomic(false)
    fileprivate let isOver = Atomic(false)

    required init(on thread: NetworkThread, announcements: Announcements) {
        self.thread = thread
        self.announcements = announcements
    }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { isRunning.load(ordering: .acquiring) }
    override var isFinished: Bool { isOver.load(ordering: .acquiring) }

    override func start() {
        announcements.willChange("isExecuting", of: self)
        isRunning.store(true, ordering: .releasing)
        announcements.didChange("isExecuting", of: self)
        thread.perform {
            self.announcements.willChange("isFinished", of: self)
            self.end()
            self.announcements.didChange("isFinished", of: self)
        }
    }

    fileprivate func end() {
        isOver.store(true, ordering: .releasing)
    }
}

private final class OneOfTwo: AnnouncesTwo, @unchecked Sendable {
    override func end() {
        isRunning.store(false, ordering: .releasing)
        super.end()
    }
}

/// Stays executing.
private final class StillExecuting: AnnouncesTwo, @unchecked Sendable {}

// MARK: - 7 and 8

/// An operation in one of three states, without a lock.
private class Moving: Operation, @unchecked Sendable {
    // @unchecked because the state is atomic.
    enum State: Int, AtomicRepresentable { case isReady, isExecuting, isFinished }
    private let current = Atomic(State.isReady)

    var state: State { current.load(ordering: .acquiring) }

    override var isAsynchronous: Bool { true }
    override var isExecuting: Bool { state == .isExecuting }
    override var isFinished: Bool { state == .isFinished }

    func move(to next: State, _ reported: (String) -> Void = { _ in }) {
        willChangeValue(forKey: "\(next)")
        reported("\(next)")
        current.store(next, ordering: .releasing)
        didChangeValue(forKey: "\(next)")
    }
}

private final class NoLock: Moving, LockExercise, @unchecked Sendable {
    // @unchecked because what it adds does not change.
    private let thread: NetworkThread
    private let work: @Sendable () -> Void
    private let observer: @Sendable (String) -> Void

    init(
        on thread: NetworkThread, work: @escaping @Sendable () -> Void,
        observer: @escaping @Sendable (_ key: String) -> Void
    ) {
        self.thread = thread
        self.work = work
        self.observer = observer
    }

    override func start() {
        guard state == .isReady else { return }
        move(to: .isExecuting, observer)
        thread.perform {
            self.work()
            self.move(to: .isFinished, self.observer)
        }
    }
}

private final class ClosesHere: Moving, CancelExercise, @unchecked Sendable {
    // @unchecked because what it adds does not change.
    private let thread: NetworkThread
    private let line: WatchedLine

    init(on thread: NetworkThread, line: WatchedLine) {
        self.thread = thread
        self.line = line
    }

    override func start() {
        move(to: .isExecuting)
        thread.perform { if !self.isCancelled { self.line.open() } }
    }

    override func cancel() {
        super.cancel()
        line.close()
        move(to: .isFinished)
    }
}

private final class NeverFinishes: Moving, CancelExercise, @unchecked Sendable {
    // @unchecked because what it adds does not change.
    private let thread: NetworkThread
    private let line: WatchedLine

    init(on thread: NetworkThread, line: WatchedLine) {
        self.thread = thread
        self.line = line
    }

    override func start() {
        move(to: .isExecuting)
        thread.perform { self.line.open() }
    }

    override func cancel() {
        super.cancel()
        thread.perform { self.line.close() }
    }
}

// MARK: - 9

/// Gives up after the first byte that is not taken, and calls it a success.
private struct GivesUp: WriteExercise {
    func write(_ bytes: [UInt8], to sink: ShortSink) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = sink.write(rest)
            if count <= 0 { return }
            rest = rest.dropFirst(count)
        }
    }
}

private struct TriesForEver: WriteExercise {
    func write(_ bytes: [UInt8], to sink: ShortSink) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = sink.write(rest)
            // It would keep a processor for the rest of the tests.
            if count < 0 { usleep(1_000) }
            rest = rest.dropFirst(max(count, 0))
        }
    }
}
