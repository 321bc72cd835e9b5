import TestSupport

@testable import SessionTasks

@Suite("The state of a task", .timeLimit(.minutes(5)))
struct TaskStateTests {
    /// What a state is, without what it carries.
    private enum Kind: Hashable {
        case idle(Int), running, suspended(Int), ending, ended, replaced

        init(_ state: TaskState) {
            switch state.state {
            case .idle(let count): self = .idle(count)
            case .running: self = .running
            case .suspended(let count): self = .suspended(count)
            case .ending: self = .ending
            case .ended: self = .ended
            case .replaced: self = .replaced
            }
        }
    }

    private enum Event: CaseIterable {
        case resume, suspend, end, loadEnded, becomesDownload
    }

    private enum Done: Hashable { case nothing, follow, forward, ends, takesOver }

    private struct Cell: Hashable {
        let from: Kind
        let event: Event
    }

    private struct Outcome: Hashable {
        var to: Kind
        var done = Done.nothing
        var isChange = false
    }

    private let download = SessionDownloadTask(
        .download(URLRequest(url: URL(fileURLWithPath: "/"))),
        .failed(URLError(.unknown), TaskStateTests.session), nil,
        BodyStream(URLRequest(url: URL(fileURLWithPath: "/"))))

    private static let session = TaskSession(
        configuration: .ephemeral, delegate: Silent(), delegateQueue: OperationQueue())

    private final class Silent: TaskSessionDelegate {}

    /// Every cell that changes something; all others change nothing and ask for nothing.
    private static let table: [Cell: Outcome] = [
        // The first resume begins, each suspension needs its own.
        Cell(from: .idle(1), event: .resume): Outcome(to: .running, done: .follow, isChange: true),
        Cell(from: .idle(3), event: .resume): Outcome(to: .idle(2), isChange: true),
        Cell(from: .idle(1), event: .suspend): Outcome(to: .idle(2)),
        Cell(from: .idle(3), event: .suspend): Outcome(to: .idle(4)),
        Cell(from: .idle(1), event: .end): Outcome(to: .ending, done: .follow),
        Cell(from: .idle(3), event: .end): Outcome(to: .ending, done: .follow),
        Cell(from: .idle(1), event: .loadEnded): Outcome(to: .ended, done: .ends),
        Cell(from: .idle(3), event: .loadEnded): Outcome(to: .ended, done: .ends),
        // A suspension keeps the load, and so does the way back.
        Cell(from: .running, event: .suspend): Outcome(
            to: .suspended(1), done: .follow, isChange: true),
        Cell(from: .running, event: .end): Outcome(to: .ending, done: .follow),
        Cell(from: .running, event: .loadEnded): Outcome(to: .ended, done: .ends),
        Cell(from: .running, event: .becomesDownload): Outcome(to: .replaced, done: .takesOver),
        Cell(from: .suspended(1), event: .resume): Outcome(
            to: .running, done: .follow, isChange: true),
        Cell(from: .suspended(3), event: .resume): Outcome(to: .suspended(2), isChange: true),
        Cell(from: .suspended(1), event: .suspend): Outcome(to: .suspended(2)),
        Cell(from: .suspended(3), event: .suspend): Outcome(to: .suspended(4)),
        Cell(from: .suspended(1), event: .end): Outcome(to: .ending, done: .follow),
        Cell(from: .suspended(3), event: .end): Outcome(to: .ending, done: .follow),
        // What fails while it is suspended has ended.
        Cell(from: .suspended(1), event: .loadEnded): Outcome(to: .ended, done: .ends),
        Cell(from: .suspended(3), event: .loadEnded): Outcome(to: .ended, done: .ends),
        Cell(from: .suspended(1), event: .becomesDownload): Outcome(
            to: .replaced, done: .takesOver),
        Cell(from: .suspended(3), event: .becomesDownload): Outcome(
            to: .replaced, done: .takesOver),
        Cell(from: .ending, event: .loadEnded): Outcome(to: .ended, done: .ends),
        // What the data task gets is the download's.
        Cell(from: .replaced, event: .resume): Outcome(to: .replaced, done: .forward),
        Cell(from: .replaced, event: .suspend): Outcome(to: .replaced, done: .forward),
        Cell(from: .replaced, event: .end): Outcome(to: .replaced, done: .forward),
    ]

    private func done(_ action: TaskState.Action) -> Done {
        switch action {
        case .none: .nothing
        case .follow: .follow
        case .forward: .forward
        }
    }

    private func send(_ event: Event, to task: inout TaskState) -> (Done, isChange: Bool) {
        switch event {
        case .resume:
            let move = task.resume()
            return (done(move.action), move.isChange)
        case .suspend:
            let move = task.suspend()
            return (done(move.action), move.isChange)
        case .end: return (done(task.end(TaskState.Ending()).action), false)
        case .loadEnded: return (task.loadEnded(nil) == nil ? .nothing : .ends, false)
        case .becomesDownload:
            return (task.becomes(download) == nil ? .nothing : .takesOver, false)
        }
    }

    @Test func `every state takes every event as the table says`() {
        let states: [TaskState.State] = [
            .idle(suspensions: 1), .idle(suspensions: 3), .running, .suspended(1), .suspended(3),
            .ending(TaskState.Ending()), .ended(nil), .replaced(by: download),
        ]
        for state in states {
            for event in Event.allCases {
                var task = TaskState(state)
                let from = Kind(task)
                let (done, isChange) = send(event, to: &task)
                let expected =
                    Self.table[Cell(from: from, event: event)] ?? Outcome(to: from)
                #expect(
                    Outcome(to: Kind(task), done: done, isChange: isChange) == expected,
                    "\(from) \(event)")
            }
        }
    }

    @Test
    func `the reason of an end wins over what becomes of the load, and a cancel over success`() {
        struct Reason: Error {}
        var failed = TaskState(.running)
        _ = failed.end(TaskState.Ending(reason: Reason()))
        #expect(failed.loadEnded(URLError(.timedOut))?.reason is Reason)
        for error in [nil, URLError(.timedOut), URLError(.cancelled)] {
            var cancelled = TaskState(.running)
            _ = cancelled.end(TaskState.Ending())
            #expect(cancelled.isCancelled)
            let end = cancelled.loadEnded(error)
            #expect((end?.reason as? URLError)?.code == .cancelled)
            #expect((cancelled.error as? URLError)?.code == .cancelled)
        }
    }

    /// `TASK_LIVES=1000000` is the long form.
    private static let lives =
        Int(ProcessInfo.processInfo.environment["TASK_LIVES"] ?? "") ?? 100_000

    /// A caller's events, and a network thread whose jobs overtake each other.
    @Test func `each of many random tasks ends once, and runs nothing while it is suspended`() {
        var random = SeededNumbers(seed: 41)
        for life in 0..<Self.lives {
            var task = TaskState()
            var (balance, ends, loadRuns, hasLoad) = (1, 0, false, false)
            var jobs = 0
            for _ in 0..<Int.random(in: 1...24, using: &random) {
                switch Int.random(in: 0..<8, using: &random) {
                case 0, 1:
                    let move = task.resume()
                    if move.isEffective { balance = max(0, balance - 1) }
                    if case .follow = move.action { jobs += 1 }
                case 2, 3:
                    let move = task.suspend()
                    if move.isEffective { balance += 1 }
                    if case .follow = move.action { jobs += 1 }
                case 4 where Int.random(in: 0..<4, using: &random) == 0:
                    if case .follow = task.end(TaskState.Ending()).action { jobs += 1 }
                case 5 where hasLoad && loadRuns && Int.random(in: 0..<4, using: &random) == 0:
                    hasLoad = false
                    if task.loadEnded(nil) != nil { ends += 1 }
                default:
                    guard jobs > 0 else { continue }
                    jobs -= 1
                    follow(&task, &hasLoad, &loadRuns, &ends)
                }
                if task.isLive, jobs == 0 {
                    #expect(loadRuns == (balance == 0 && hasLoad), "\(life)")
                    #expect((task.foundationState == .running) == (balance == 0), "\(life)")
                }
            }
            if case .follow = task.end(TaskState.Ending()).action { jobs += 1 }
            while jobs > 0 {
                jobs -= 1
                follow(&task, &hasLoad, &loadRuns, &ends)
            }
            if ends != 1 || !task.hasEnded || hasLoad {
                Issue.record("\(life): \(ends) ends, \(task.foundationState)")
                return
            }
        }
    }

    private func follow(
        _ task: inout TaskState, _ hasLoad: inout Bool, _ loadRuns: inout Bool, _ ends: inout Int
    ) {
        switch task.loadOrder {
        case .run:
            hasLoad = true
            loadRuns = true
        case .suspend: loadRuns = false
        case .stop:
            (hasLoad, loadRuns) = (false, false)
            if task.loadEnded(URLError(.cancelled)) != nil { ends += 1 }
        case .nothing: break
        }
    }
}
