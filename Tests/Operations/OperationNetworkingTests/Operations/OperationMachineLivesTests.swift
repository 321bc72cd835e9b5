import Foundation
import TestSupport

@testable import OperationNetworking

/// Random lives of an operation: its queue or a caller starts it, the network thread has its jobs in order,
/// and an observer pauses, resumes, cancels and starts it inside every announcement, or another thread does so before
/// what an event gave is done.
@Suite("Random lives of an operation", .timeLimit(.minutes(10)))
struct OperationMachineLivesTests {
    private let count = Int(ProcessInfo.processInfo.environment["MACHINE_LIVES"] ?? "") ?? 100_000

    @Test func `each ends once, nothing comes behind the end, and each start has its finish`() {
        var faults: [String] = []
        var sequences: Set<String> = []
        for seed in 0..<count {
            let life = OperationLife(seed: UInt64(seed))
            life.live()
            sequences.insert(life.keys)
            if !life.faults.isEmpty { faults.append("\(seed): \(life.faults)") }
            if faults.count == 5 { break }
        }
        #expect(faults.isEmpty, "\(faults)")
        // Many different lives, among them those with several pauses.
        #expect(sequences.count > min(count / 200, 100))
    }
}

/// One operation, driven as `URLConnectionOperation` drives it.
private final class OperationLife {
    private var machine = OperationMachine()
    private var numbers: SeededNumbers
    private let isQueued: Bool
    private let isObjectFirst: Bool
    private var hasSeenReady = false
    private var isStartedByQueue = false
    private var isOver = false
    /// Whether its queue has limits by now, and its way to its slot then.
    private var isLimited = false
    private var slot = Slot.none

    private enum Slot {
        case none, waiting, given, begun
    }

    private(set) var faults: [String] = []
    /// The first letters of the keys, in the order of their announcements.
    private(set) var keys = "r"
    private var visible: OperationMachine.Key? = .ready
    private var depth = 0
    private var ends = 0
    private var starts = 0
    private var finishes = 0
    private var isStartOpen = false

    /// What events gave and nobody has done yet, and how often a slot had been withdrawn by then.
    private var outbox: [(actions: OperationMachine.Actions, withdrawals: Int)] = []
    private var isDelivering = false
    private var withdrawals = 0
    private var hasCancelled = false
    private var jobs: [OperationMachine.Job] = []
    private var connection: OperationMachine.Run?
    private var lastRun: OperationMachine.Run = 0
    private var isObjectWanted = false
    /// Inside a job or a result; the network thread has one at a time.
    private var isOnNetworkThread = false

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: seed)
        isQueued = Bool.random(using: &numbers)
        isObjectFirst = Int.random(in: 0..<3, using: &numbers) == 0
        if isQueued, Bool.random(using: &numbers) { limit() }
    }

    func live() {
        for _ in 0..<Int.random(in: 5...30, using: &numbers) { step() }
        isOver = true
        // All goes on until it has ended; then nothing may be left.
        for _ in 0..<20 where ends == 0 || !jobs.isEmpty {
            perform(machine.resume())
            start()
            giveSlot()
            while !jobs.isEmpty { runJob() }
            if connection != nil { endConnection(.success) }
            makeObject()
        }
        makeObject()
        expect(ends == 1, "it ends \(ends) times")
        expect(machine.state == .finished && visible == .finished, "it is \(machine.state)")
        expect(jobs.isEmpty && connection == nil, "jobs \(jobs), connection \(connection ?? 0)")
        expect(finishes == max(1, starts), "\(starts) starts, \(finishes) finishes")
    }

    private func expect(_ holds: Bool, _ fault: @autoclosure () -> String) {
        if !holds { faults.append(fault()) }
    }

    private func step() {
        switch Int.random(in: 0..<12, using: &numbers) {
        case 10: giveSlot()
        case 11: if isQueued, Int.random(in: 0..<5, using: &numbers) == 0 { limit() }
        case 0...3: callersEvent()
        case 4: start()
        case 5...8: networkEvent()
        default: makeObject()
        }
    }

    private func callersEvent() {
        switch Int.random(in: 0..<12, using: &numbers) {
        case 0...4: perform(machine.pause())
        case 5...9: perform(machine.resume())
        case 10: perform(machine.cancel())
        default: fail()
        }
    }

    /// A queue starts once what it has seen ready, a little later; a caller as often as it likes.
    private func start() {
        if isQueued {
            if isStartedByQueue { return }
            guard hasSeenReady else {
                hasSeenReady = visible == .ready
                return
            }
            isStartedByQueue = true
        }
        perform(machine.start(areDependenciesDone: true, hasSlot: !isLimited))
    }

    // MARK: Its slot

    private var hasSlot: Bool { !isLimited || slot == .given || slot == .begun }

    private func limit() {
        if isLimited { return }
        isLimited = true
        perform(machine.slotNeeded(areDependenciesDone: true))
    }

    /// It hears of its slot, and asks for it again: what was announced may be withdrawn by now.
    private func giveSlot() {
        if slot == .waiting { slot = .given }
        if isLimited, hasSlot { perform(machine.slotNeeded(areDependenciesDone: true)) }
    }

    private func ask(_ withdrawals: Int) {
        guard isLimited else { return }
        if slot == .none { slot = Bool.random(using: &numbers) ? .given : .waiting }
        observe()
        if hasSlot, self.withdrawals == withdrawals { perform(machine.slotGiven()) }
    }

    // MARK: The network thread

    /// A job, or a result of the connection.
    private func networkEvent() {
        guard !isOnNetworkThread else { return }
        isOnNetworkThread = true
        defer { isOnNetworkThread = false }
        if connection != nil, Bool.random(using: &numbers) {
            endConnection(Bool.random(using: &numbers) ? .success : .failure)
        } else if !jobs.isEmpty {
            runJob()
        }
    }

    private func fail() {
        if let actions = machine.failBeforeStart() { return perform(actions) }
        if !machine.mayFail { return }
        connection = nil
        end(.failure)
    }

    private func runJob() {
        switch jobs.removeFirst() {
        case .begin(let run):
            let actions = machine.began(run)
            perform(actions)
            // What was delivered just now may have ended it.
            guard actions.connects, machine.state != .finished else { return }
            expect(connection == nil, "run \(run) beside \(connection ?? 0)")
            expect(run > lastRun && ends == 0, "run \(run) behind \(lastRun)")
            (connection, lastRun) = (run, run)
        case .interrupt(let run):
            if connection == run { connection = nil }
        case .abort:
            connection = nil
            end(.failure)
        }
    }

    private func endConnection(_ outcome: OperationMachine.Outcome) {
        connection = nil
        end(outcome)
    }

    private func end(_ outcome: OperationMachine.Outcome) {
        guard visible != .finished else { return }
        perform(machine.ended(outcome, isObjectFirst: isObjectFirst))
    }

    private func makeObject() {
        guard isObjectWanted else { return }
        isObjectWanted = false
        perform(machine.objectMade())
    }

    // MARK: The driver

    /// What is done as soon as nobody is at it: the state has changed already.
    private func perform(_ actions: OperationMachine.Actions) {
        if actions == .none { return }
        if actions.cancels {
            expect(machine.isCancelled && !hasCancelled, "Foundation's cancel, twice or too early")
            hasCancelled = true
        }
        if actions.slot == .withdraw { withdrawals += 1 }
        if let move = actions.move { show(move) }
        if let end = actions.end {
            let isCancelled = machine.isCancelled
            expect(isCancelled == (end == .cancelled), "cancelled \(isCancelled) ends as \(end)")
        }
        outbox.append((actions, withdrawals))
        if isDelivering { return }
        isDelivering = true
        while !outbox.isEmpty {
            // Another thread.
            observe()
            let next = outbox.removeFirst()
            deliver(next.actions, next.withdrawals)
            guard let job = next.actions.job else { continue }
            if case .interrupt = job { continue }
            if outbox.isEmpty {
                // Another thread may perform its own actions before the job is enqueued.
                isDelivering = false
                observe()
                jobs.append(job)
            } else {
                jobs.append(job)
            }
        }
        isDelivering = false
    }

    private func show(_ move: OperationMachine.Move) {
        expect(move.old == visible && move.old != move.new, "\(move) in another state")
        if move.new == .finished, isQueued {
            expect(isStartedByQueue, "it finishes before its queue has started it")
        }
        visible = move.new
    }

    private func deliver(_ actions: OperationMachine.Actions, _ withdrawals: Int) {
        if actions.slot == .withdraw, slot != .begun { slot = .none }
        if actions.end == nil { post(actions.notification) }
        if let job = actions.job {
            if case .begin = job {
                expect(hasSlot, "it begins without a slot")
                if isLimited { slot = .begun }
            }
            if case .interrupt = job { jobs.append(job) }
        }
        if let move = actions.move {
            expect(ends == 0, "\(move) behind the end")
            keys.append(move.new?.keyPath.dropFirst(2).first ?? "w")
            observe()
            observe()
        }
        if actions.restarts, !isOver { betweenResumeAndRestart() }
        if actions.restarts { perform(machine.restart(hasSlot: !isLimited)) }
        if actions.makesObject { isObjectWanted = true }
        switch actions.slot {
        case .request: ask(withdrawals)
        case .take: slot = .begun
        case .withdraw, nil: break
        }
        guard actions.end != nil else { return }
        post(actions.notification)
        ends += 1
        observe()
    }

    /// A result of the connection, or a failure, before the pause has interrupted the run.
    private func betweenResumeAndRestart() {
        switch Int.random(in: 0..<6, using: &numbers) {
        case 0...1: networkEvent()
        case 2: fail()
        default: break
        }
    }

    private func post(_ notification: OperationMachine.Notification?) {
        switch notification {
        case .didStart:
            expect(!isStartOpen && ends == 0, "a start behind a start, or behind the end")
            isStartOpen = true
            starts += 1
        case .didFinish:
            expect(isStartOpen || starts == 0 && finishes == 0, "a finish without a start")
            isStartOpen = false
            finishes += 1
        case nil:
            break
        }
    }

    /// A caller's code inside an announcement.
    private func observe() {
        guard !isOver, depth < 4, Int.random(in: 0..<4, using: &numbers) == 0 else { return }
        depth += 1
        defer { depth -= 1 }
        if Int.random(in: 0..<6, using: &numbers) == 0 { start() } else { callersEvent() }
    }
}
