import Foundation
import TestSupport

@testable import OperationNetworking

/// Random lives of an operation: its queue or a caller starts it, the network thread has its jobs in order,
/// and an observer pauses, resumes, cancels and starts it inside every announcement.
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
    /// Whether its queue has limits by now, and its way to its place then.
    private var isLimited = false
    private var place = Place.none

    private enum Place {
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

    private var jobs: [OperationMachine.Job] = []
    private var connection: OperationMachine.Run?
    private var lastRun: OperationMachine.Run = 0
    private var isObjectWanted = false

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
            givePlace()
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
        case 10: givePlace()
        case 11: if isQueued, Int.random(in: 0..<5, using: &numbers) == 0 { limit() }
        case 0...3: callersEvent()
        case 4: start()
        case 5...6: if !jobs.isEmpty { runJob() }
        case 7...8:
            if connection != nil {
                endConnection(Bool.random(using: &numbers) ? .success : .failure)
            }
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

    /// A queue starts once what it has seen ready, a little later; a caller as often as he likes.
    private func start() {
        if isQueued {
            if isStartedByQueue { return }
            guard hasSeenReady else {
                hasSeenReady = visible == .ready
                return
            }
            isStartedByQueue = true
        }
        perform(machine.start(areDependenciesDone: true, hasPlace: hasPlace))
    }

    // MARK: Its place

    private var hasPlace: Bool { !isLimited || place == .given || place == .begun }

    private func limit() {
        if isLimited { return }
        isLimited = true
        perform(machine.limited(areDependenciesDone: true))
    }

    private func givePlace() {
        if place == .waiting { place = .given }
        // What was announced may be withdrawn by now.
        if isLimited, hasPlace { perform(machine.placeGiven()) }
    }

    private func perform(_ wanted: OperationMachine.Place) {
        expect(isLimited, "\(wanted) without limits")
        switch wanted {
        case .ask:
            guard machine.mayAsk else { return }
            if place == .none { place = Bool.random(using: &numbers) ? .given : .waiting }
            if hasPlace { perform(machine.placeGiven()) }
        case .withdraw: break
        case .take: place = .begun
        }
    }

    // MARK: The network thread

    private func fail() {
        if let actions = machine.failBeforeStart() { return perform(actions) }
        if visible == .ready || visible == .finished { return }
        connection = nil
        end(.failure)
    }

    private func runJob() {
        switch jobs.removeFirst() {
        case .begin(let run):
            let actions = machine.began(run)
            perform(actions)
            guard actions.connects else { return }
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

    private func perform(_ actions: OperationMachine.Actions) {
        let isCancelled = machine.isCancelled
        if actions.place == .withdraw, place != .begun { place = .none }
        if actions.end == nil { post(actions.notification) }
        if let move = actions.move {
            announce(move, actions.job)
            if actions.goesOn { perform(machine.goOn(hasPlace: hasPlace)) }
        } else if let job = actions.job {
            jobs.append(job)
        }
        if actions.makesObject { isObjectWanted = true }
        if let place = actions.place, place != .withdraw { perform(place) }
        guard let end = actions.end else { return }
        post(actions.notification)
        ends += 1
        expect(isCancelled == (end == .cancelled), "cancelled \(isCancelled) ends as \(end)")
        observe()
    }

    private func announce(_ move: OperationMachine.Move, _ job: OperationMachine.Job?) {
        expect(ends == 0, "\(move) behind the end")
        expect(move.old == visible && move.old != move.new, "\(move) in another state")
        if move.new == .finished, isQueued {
            expect(isStartedByQueue, "it finishes before its queue has started it")
        }
        visible = move.new
        keys.append(move.new?.keyPath.dropFirst(2).first ?? "w")
        if let job { jobs.append(job) }
        if case .begin = job {
            expect(hasPlace, "it begins without a place")
            if isLimited { place = .begun }
        }
        observe()
        observe()
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
