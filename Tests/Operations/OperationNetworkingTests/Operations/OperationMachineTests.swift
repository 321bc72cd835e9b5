import TestSupport

@testable import OperationNetworking

/// The table against rules that were written down on their own: what an event needs, and what then
/// follows. Everything that no rule allows must be no move at all (OP-3).
@Suite("The table of states", .timeLimit(.minutes(5)))
struct OperationMachineTests {
    typealias Machine = OperationMachine

    enum Event: Hashable, Sendable, CaseIterable {
        case start(areDependenciesDone: Bool, hasSlot: Bool)
        case restart(hasSlot: Bool)
        case slotNeeded(areDependenciesDone: Bool)
        case cancel, pause, resume, failBeforeStart, slotGiven, dependencyAdded
        case began(Machine.Run)
        case ended(Machine.Outcome, isObjectFirst: Bool)
        case objectMade

        static let allCases: [Event] = {
            let outcomes: [Machine.Outcome] = [.success, .failure, .cancelled]
            let both = [true, false]
            let starts: [Event] = both.flatMap { areDone in
                both.map { .start(areDependenciesDone: areDone, hasSlot: $0) }
            }
            return starts + both.map { .restart(hasSlot: $0) }
                + both.map { .slotNeeded(areDependenciesDone: $0) }
                + [
                    .cancel, .pause, .resume, .failBeforeStart, .slotGiven, .dependencyAdded,
                    .began(run), .began(run - 1), .objectMade,
                ]
                + outcomes.flatMap { outcome in
                    [false, true].map { .ended(outcome, isObjectFirst: $0) }
                }
        }()

        func happen(to machine: inout Machine) -> Machine.Actions {
            switch self {
            case .start(let areDone, let hasSlot):
                machine.start(areDependenciesDone: areDone, hasSlot: hasSlot)
            case .slotNeeded(let areDone): machine.slotNeeded(areDependenciesDone: areDone)
            case .slotGiven: machine.slotGiven()
            case .dependencyAdded: machine.dependencyAdded()
            case .cancel: machine.cancel()
            case .pause: machine.pause()
            case .resume: machine.resume()
            case .restart(let hasSlot): machine.restart(hasSlot: hasSlot)
            case .failBeforeStart: machine.failBeforeStart() ?? .none
            case .began(let run): machine.began(run)
            case .ended(let outcome, let isFirst): machine.ended(outcome, isObjectFirst: isFirst)
            case .objectMade: machine.objectMade()
            }
        }

        var isEnd: Bool { if case .ended = self { true } else { false } }
        var isStart: Bool { if case .start = self { true } else { false } }
        var isRestart: Bool { if case .restart = self { true } else { false } }
        var isSlotNeeded: Bool { if case .slotNeeded = self { true } else { false } }

        static func start(hasSlot: Bool) -> Event {
            .start(areDependenciesDone: true, hasSlot: hasSlot)
        }
    }

    private static let run: Machine.Run = 7
    private static let states: [Machine.State] = [
        .ready(wasStarted: false), .ready(wasStarted: true), .waiting, .executing(run),
        .paused(wasStarted: false), .paused(wasStarted: true), .finished,
    ]

    /// One cell of the whole table.
    struct Cell: Sendable, CustomStringConvertible {
        var state: Machine.State
        var event: Event
        var isCancelled: Bool
        var hasFailed: Bool
        var isMakingObject: Bool

        var key: Machine.Key? { state.key }
        var mustEnd: Bool { isCancelled || hasFailed }
        var wasStarted: Bool {
            switch state {
            case .ready(let wasStarted), .paused(let wasStarted): wasStarted
            case .waiting, .executing, .finished: true
            }
        }

        /// A success whose object comes before the end.
        var isObjectFirst: Bool {
            event == .ended(.success, isObjectFirst: true) && !isCancelled
        }

        /// Its queue has started it, and a result may come.
        var mayEnd: Bool {
            switch state {
            case .waiting, .executing, .paused(wasStarted: true): true
            case .ready(wasStarted: true): true
            case .ready, .paused, .finished: false
            }
        }

        var outcome: Machine.Outcome {
            if isCancelled { return .cancelled }
            if case .ended(let outcome, _) = event { return outcome }
            return .success
        }

        func result() -> Result {
            var machine = Machine(
                state, isCancelled: isCancelled, hasFailed: hasFailed,
                isMakingObject: isMakingObject)
            let actions = event.happen(to: &machine)
            return Result(state: machine.state, actions: actions)
        }

        func move(to new: Machine.State, _ change: (inout Machine.Actions) -> Void = { _ in })
            -> Result
        {
            var actions = Machine.Actions(move: Machine.Move(old: key, new: new.key))
            change(&actions)
            return Result(state: new, actions: actions)
        }

        var description: String {
            "\(event) in \(state), cancelled \(isCancelled), failed \(hasFailed), "
                + "makes the object \(isMakingObject)"
        }
    }

    struct Result: Equatable, Sendable {
        var state: Machine.State
        var actions: Machine.Actions
    }

    static let cells: [Cell] = states.flatMap { state in
        Event.allCases.flatMap { event in
            (0..<8).map { bits in
                Cell(
                    state: state, event: event, isCancelled: bits & 1 != 0,
                    hasFailed: bits & 2 != 0, isMakingObject: bits & 4 != 0)
            }
        }
    }

    /// A sentence that allows a move: when it applies, and what follows.
    struct Rule: Sendable {
        var sentence: String
        var applies: @Sendable (Cell) -> Bool
        var result: @Sendable (Cell) -> Result
    }

    static let rules: [Rule] = startRules + slotRules + callerRules + networkRules

    private static let startRules: [Rule] = [
        Rule(
            sentence: "A start begins a ready operation that waits for nobody (OP-10, OP-11).",
            applies: {
                $0.event == .start(hasSlot: true) && $0.key == .ready && !$0.mustEnd
            },
            result: { $0.move(to: .executing(1)) { $0.job = .begin(1) } }),
        Rule(
            sentence: "A start ends a cancelled or failed operation, also a waiting one (OP-16).",
            applies: { $0.event.isStart && $0.key == .ready && $0.mustEnd },
            result: { _ in
                Result(state: .ready(wasStarted: true), actions: .init(job: .abort))
            }),
        Rule(
            sentence: "A start that comes behind a pause is the operation's own from now on.",
            applies: {
                [.start(hasSlot: true), .start(hasSlot: false)].contains($0.event)
                    && $0.state == .paused(wasStarted: false)
            },
            result: { _ in Result(state: .paused(wasStarted: true), actions: .none) }),
    ]

    private static let slotRules: [Rule] = [
        Rule(
            sentence: "What is started without its slot waits, and requests it.",
            applies: { $0.event == .start(hasSlot: false) && $0.key == .ready && !$0.mustEnd },
            result: { $0.move(to: .waiting) { $0.slot = .request } }),
        Rule(
            sentence: "A restart without a slot waits, and requests one unless the end follows.",
            applies: {
                $0.event == .restart(hasSlot: false) && $0.state == .ready(wasStarted: true)
            },
            result: { cell in
                cell.move(to: .waiting) { $0.slot = cell.mustEnd ? nil : .request }
            }),
        Rule(
            sentence: "What waits begins with its slot, unless its end follows.",
            applies: { $0.event == .slotGiven && $0.state == .waiting && !$0.mustEnd },
            result: { $0.move(to: .executing(1)) { $0.job = .begin(1) } }),
        Rule(
            sentence:
                "In a queue with limits what could start requests its slot at once, and again "
                + "when its dependencies have ended.",
            applies: {
                $0.event == .slotNeeded(areDependenciesDone: true)
                    && [.ready(wasStarted: false), .waiting].contains($0.state) && !$0.mustEnd
            },
            result: { Result(state: $0.state, actions: .init(slot: .request)) }),
        Rule(
            sentence: "If limits come while it runs, it takes a slot.",
            applies: { $0.event.isSlotNeeded && $0.state == .executing(run) },
            result: { Result(state: $0.state, actions: .init(slot: .take)) }),
        Rule(
            sentence: "A new dependency makes it withdraw its slot.",
            applies: {
                $0.event == .dependencyAdded
                    && [.ready(wasStarted: false), .waiting].contains($0.state)
            },
            result: { Result(state: $0.state, actions: .init(slot: .withdraw)) }),
        Rule(
            sentence: "The first cancel before the start withdraws the slot.",
            applies: {
                $0.event == .cancel && !$0.isCancelled && $0.state == .ready(wasStarted: false)
            },
            result: {
                Result(state: $0.state, actions: .init(cancels: true, slot: .withdraw))
            }),
        Rule(
            sentence: "A pause while it waits withdraws the request.",
            applies: { $0.event == .pause && $0.state == .waiting && !$0.mustEnd },
            result: { $0.move(to: .paused(wasStarted: true)) { $0.slot = .withdraw } }),
    ]

    private static let callerRules: [Rule] = [
        Rule(
            sentence: "The first cancel ends what was started once, paused too (OP-15, wound 13).",
            applies: {
                $0.event == .cancel && !$0.isCancelled && $0.key != .finished && $0.wasStarted
            },
            result: { cell in
                Result(
                    state: cell.state,
                    actions: .init(
                        cancels: true, job: .abort,
                        slot: cell.state == .waiting ? .withdraw : nil))
            }),
        Rule(
            sentence: "The first cancel of what was paused unstarted lets its queue start it.",
            applies: {
                $0.event == .cancel && !$0.isCancelled && $0.key == .paused && !$0.wasStarted
            },
            result: { $0.move(to: .ready(wasStarted: false)) { $0.cancels = true } }),
        Rule(
            sentence: "A pause takes a ready operation out of its queue's sight (OP-28).",
            applies: { $0.event == .pause && $0.key == .ready && !$0.mustEnd },
            result: { cell in
                cell.move(to: .paused(wasStarted: cell.wasStarted)) { $0.slot = .withdraw }
            }),
        Rule(
            sentence: "A pause stops the connection of a run (OP-27).",
            applies: { $0.event == .pause && $0.key == .executing && !$0.mustEnd },
            result: {
                $0.move(to: .paused(wasStarted: true)) { $0.job = .interrupt(run) }
            }),
        Rule(
            sentence: "A resume of a started operation restarts it.",
            applies: {
                $0.event == .resume && $0.key == .paused && !$0.isCancelled && $0.wasStarted
            },
            result: { $0.move(to: .ready(wasStarted: true)) { $0.restarts = true } }),
        Rule(
            sentence: "A resume before the start leaves the start to the queue, and requests the "
                + "slot.",
            applies: {
                $0.event == .resume && $0.key == .paused && !$0.isCancelled && !$0.wasStarted
            },
            result: { $0.move(to: .ready(wasStarted: false)) { $0.slot = .request } }),
        Rule(
            sentence: "A restart begins the next run, unless the state has changed.",
            applies: {
                $0.event == .restart(hasSlot: true) && $0.state == .ready(wasStarted: true)
            },
            result: { $0.move(to: .executing(1)) { $0.job = .begin(1) } }),
        Rule(
            sentence: "A failure of what was paused unstarted lets its queue start it.",
            applies: {
                $0.event == .failBeforeStart && $0.state == .paused(wasStarted: false)
            },
            result: { $0.move(to: .ready(wasStarted: false)) }),
    ]

    private static let networkRules: [Rule] = [
        Rule(
            sentence: "A run begins with its notification; a cancelled one gets no connection.",
            applies: {
                $0.event == .began(run) && $0.state == .executing(run) && !$0.isMakingObject
            },
            result: {
                Result(
                    state: $0.state,
                    actions: .init(notification: .didStart, connects: !$0.isCancelled))
            }),
        Rule(
            sentence: "A result ends a run, also one whose pause came too late (wound 27), and a "
                + "ready operation only if it was cancelled or failed (OP-2).",
            applies: { $0.event.isEnd && $0.mayEnd && !$0.isObjectFirst },
            result: { cell in
                cell.move(to: .finished) {
                    $0.notification = .didFinish
                    $0.end = cell.outcome
                }
            }),
        Rule(
            sentence: "A success is made an object first where a dependent one is to find it.",
            applies: { $0.event.isEnd && $0.mayEnd && $0.isObjectFirst && !$0.isMakingObject },
            result: { Result(state: $0.state, actions: .init(makesObject: true)) }),
        Rule(
            sentence: "An object that was made ends its operation; a cancel before that counts.",
            applies: {
                $0.event == .objectMade && $0.isMakingObject && $0.key != .finished
            },
            result: { cell in
                cell.move(to: .finished) {
                    $0.notification = .didFinish
                    $0.end = cell.outcome
                }
            }),
    ]

    @Test func `of two failures before the end of one that was not started, the first counts`() {
        var machine = Machine(.paused(wasStarted: false))
        #expect(machine.failBeforeStart() != nil)
        #expect(machine.start(areDependenciesDone: true).job == .abort && !machine.mayFail)
    }

    @Test(arguments: states)
    func `each cell is what the rules say, in`(state: OperationMachine.State) {
        for cell in Self.cells where cell.state == state {
            let applying = Self.rules.filter { $0.applies(cell) }
            #expect(applying.count <= 1, "The rules contradict one another: \(cell)")
            let none = Result(state: cell.state, actions: .none)
            #expect(cell.result() == applying.first?.result(cell) ?? none, "\(cell)")
        }
    }

    @Test func `every rule has a cell`() {
        #expect(Self.cells.count == 7 * 23 * 8)
        for rule in Self.rules {
            #expect(Self.cells.contains(where: rule.applies), "\(rule.sentence)")
        }
    }

    /// OP-2's list, and Paused->Finished, which wound 27 adds.
    @Test func `only the allowed transitions are made`() {
        let allowed: Set<[Machine.Key?]> = [
            // A queue with limits.
            [.ready, nil], [nil, .executing], [nil, .paused], [nil, .finished],
            [.ready, .executing], [.ready, .paused], [.ready, .finished], [.executing, .finished],
            [.executing, .paused], [.paused, .ready], [.paused, .finished],
        ]
        let made = Self.cells.compactMap { cell in
            cell.result().actions.move.map { [$0.old, $0.new] }
        }
        #expect(Set(made) == allowed)
    }

    /// A resume that was announced before the cancel goes on, and its run ends at once.
    @Test func `a cancelled operation can only end`() {
        for cell in Self.cells where cell.isCancelled && !cell.event.isRestart {
            let isFailure = cell.event == .failBeforeStart
            let actions = cell.result().actions
            if let move = actions.move, !isFailure { #expect(move.new == .finished, "\(cell)") }
            #expect([nil, .abort].contains(actions.job), "\(cell)")
            #expect(!actions.connects && !actions.restarts, "\(cell)")
        }
    }

    @Test func `states have the original's numbers and keys`() {
        let keys = Machine.Key.allCases
        #expect(keys.map(\.rawValue) == [-1, 1, 2, 3])
        #expect(keys.map(\.keyPath) == ["isPaused", "isReady", "isExecuting", "isFinished"])
    }
}
