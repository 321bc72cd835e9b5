import TestSupport

@testable import OperationNetworking

/// The table against rules that were written down on their own: what an event needs, and what then
/// follows. Everything that no rule allows must be no move at all (OP-3).
@Suite("The table of states", .timeLimit(.minutes(5)))
struct OperationMachineTests {
    typealias Machine = OperationMachine

    enum Event: Hashable, Sendable, CaseIterable {
        case start(areDependenciesDone: Bool, hasPlace: Bool)
        case goOn(hasPlace: Bool)
        case limited(areDependenciesDone: Bool)
        case cancel, pause, resume, failBeforeStart, placeGiven, dependencyAdded
        case began(Machine.Run)
        case ended(Machine.Outcome, isObjectFirst: Bool)
        case objectMade

        static let allCases: [Event] = {
            let outcomes: [Machine.Outcome] = [.success, .failure, .cancelled]
            let both = [true, false]
            let starts: [Event] = both.flatMap { areDone in
                both.map { .start(areDependenciesDone: areDone, hasPlace: $0) }
            }
            return starts + both.map { .goOn(hasPlace: $0) }
                + both.map { .limited(areDependenciesDone: $0) }
                + [
                    .cancel, .pause, .resume, .failBeforeStart, .placeGiven, .dependencyAdded,
                    .began(run), .began(run - 1), .objectMade,
                ]
                + outcomes.flatMap { outcome in
                    [false, true].map { .ended(outcome, isObjectFirst: $0) }
                }
        }()

        func happen(to machine: inout Machine) -> Machine.Actions {
            switch self {
            case .start(let areDone, let hasPlace):
                machine.start(areDependenciesDone: areDone, hasPlace: hasPlace)
            case .limited(let areDone): machine.limited(areDependenciesDone: areDone)
            case .placeGiven: machine.placeGiven()
            case .dependencyAdded: machine.dependencyAdded()
            case .cancel: machine.cancel()
            case .pause: machine.pause()
            case .resume: machine.resume()
            case .goOn(let hasPlace): machine.goOn(hasPlace: hasPlace)
            case .failBeforeStart: machine.failBeforeStart() ?? .none
            case .began(let run): machine.began(run)
            case .ended(let outcome, let isFirst): machine.ended(outcome, isObjectFirst: isFirst)
            case .objectMade: machine.objectMade()
            }
        }

        var isEnd: Bool { if case .ended = self { true } else { false } }
        var isStart: Bool { if case .start = self { true } else { false } }
        var isGoOn: Bool { if case .goOn = self { true } else { false } }
        var isLimited: Bool { if case .limited = self { true } else { false } }

        static func start(hasPlace: Bool) -> Event {
            .start(areDependenciesDone: true, hasPlace: hasPlace)
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
        var isOver: Bool { isCancelled || hasFailed }
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
            case .ready(wasStarted: true): isOver
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

    static let rules: [Rule] = startRules + placeRules + callerRules + networkRules

    private static let startRules: [Rule] = [
        Rule(
            sentence: "A start begins a ready operation that waits for nobody (OP-10, OP-11).",
            applies: {
                $0.event == .start(hasPlace: true) && $0.key == .ready && !$0.isOver
            },
            result: { $0.move(to: .executing(1)) { $0.job = .begin(1) } }),
        Rule(
            sentence: "A start ends a cancelled or failed operation, also a waiting one (OP-16).",
            applies: { $0.event.isStart && $0.key == .ready && $0.isOver },
            result: { _ in
                Result(state: .ready(wasStarted: true), actions: .init(job: .abort))
            }),
        Rule(
            sentence: "A start that comes behind a pause is the operation's own from now on.",
            applies: {
                [.start(hasPlace: true), .start(hasPlace: false)].contains($0.event)
                    && $0.state == .paused(wasStarted: false)
            },
            result: { _ in Result(state: .paused(wasStarted: true), actions: .none) }),
    ]

    private static let placeRules: [Rule] = [
        Rule(
            sentence: "What is started without its place waits for it, and asks, if need be again.",
            applies: { $0.event == .start(hasPlace: false) && $0.key == .ready && !$0.isOver },
            result: { $0.move(to: .waiting) { $0.place = .ask } }),
        Rule(
            sentence: "What goes on without its place does so too, unless its end is on its way.",
            applies: {
                $0.event == .goOn(hasPlace: false) && $0.state == .ready(wasStarted: true)
            },
            result: { cell in
                cell.move(to: .waiting) { $0.place = cell.isOver ? nil : .ask }
            }),
        Rule(
            sentence: "What waits begins with its place; one that is over waits for its end.",
            applies: { $0.event == .placeGiven && $0.state == .waiting && !$0.isOver },
            result: { $0.move(to: .executing(1)) { $0.job = .begin(1) } }),
        Rule(
            sentence:
                "In a queue with limits what could start asks at once, in its turn, and again "
                + "where it had to wait for others.",
            applies: {
                $0.event == .limited(areDependenciesDone: true)
                    && [.ready(wasStarted: false), .waiting].contains($0.state) && !$0.isOver
            },
            result: { Result(state: $0.state, actions: .init(place: .ask)) }),
        Rule(
            sentence: "Where limits come while it runs, it counts.",
            applies: { $0.event.isLimited && $0.state == .executing(run) },
            result: { Result(state: $0.state, actions: .init(place: .take)) }),
        Rule(
            sentence: "What must wait for another keeps no place from it.",
            applies: {
                $0.event == .dependencyAdded
                    && [.ready(wasStarted: false), .waiting].contains($0.state)
            },
            result: { Result(state: $0.state, actions: .init(place: .withdraw)) }),
        Rule(
            sentence: "The first cancel of what nobody has started gives its place back.",
            applies: {
                $0.event == .cancel && !$0.isCancelled && $0.state == .ready(wasStarted: false)
            },
            result: { Result(state: $0.state, actions: .init(place: .withdraw)) }),
        Rule(
            sentence: "A pause of what waits withdraws what it asked for.",
            applies: { $0.event == .pause && $0.state == .waiting && !$0.isOver },
            result: { $0.move(to: .paused(wasStarted: true)) { $0.place = .withdraw } }),
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
                        job: .abort, place: cell.state == .waiting ? .withdraw : nil))
            }),
        Rule(
            sentence: "The first cancel of what was paused unstarted lets its queue start it.",
            applies: {
                $0.event == .cancel && !$0.isCancelled && $0.key == .paused && !$0.wasStarted
            },
            result: { $0.move(to: .ready(wasStarted: false)) }),
        Rule(
            sentence: "A pause takes a ready operation out of its queue's sight (OP-28).",
            applies: { $0.event == .pause && $0.key == .ready && !$0.isOver },
            result: { cell in
                cell.move(to: .paused(wasStarted: cell.wasStarted)) { $0.place = .withdraw }
            }),
        Rule(
            sentence: "A pause stops the connection of a run (OP-27).",
            applies: { $0.event == .pause && $0.key == .executing && !$0.isOver },
            result: {
                $0.move(to: .paused(wasStarted: true)) { $0.job = .interrupt(run) }
            }),
        Rule(
            sentence: "A resume has what was started before go on: nobody else will (wound 14).",
            applies: {
                $0.event == .resume && $0.key == .paused && !$0.isCancelled && $0.wasStarted
            },
            result: { $0.move(to: .ready(wasStarted: true)) { $0.goesOn = true } }),
        Rule(
            sentence: "A resume leaves to the queue what the queue has not started (wound 14).",
            applies: {
                $0.event == .resume && $0.key == .paused && !$0.isCancelled && !$0.wasStarted
            },
            result: { $0.move(to: .ready(wasStarted: false)) }),
        Rule(
            sentence: "What goes on begins, unless its announcement has changed the state.",
            applies: {
                $0.event == .goOn(hasPlace: true) && $0.state == .ready(wasStarted: true)
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

    @Test func `a finished operation never moves`() {
        for cell in Self.cells where cell.state == .finished {
            #expect(cell.result() == Result(state: .finished, actions: .none), "\(cell)")
        }
    }

    /// A resume that was announced before the cancel goes on, and its run ends at once.
    @Test func `a cancelled operation can only end`() {
        for cell in Self.cells where cell.isCancelled && !cell.event.isGoOn {
            let isFailure = cell.event == .failBeforeStart
            let actions = cell.result().actions
            if let move = actions.move, !isFailure { #expect(move.new == .finished, "\(cell)") }
            #expect([nil, .abort].contains(actions.job), "\(cell)")
            #expect(!actions.connects && !actions.goesOn, "\(cell)")
        }
    }

    @Test func `states have the original's numbers and keys`() {
        let keys = Machine.Key.allCases
        #expect(keys.map(\.rawValue) == [-1, 1, 2, 3])
        #expect(keys.map(\.keyPath) == ["isPaused", "isReady", "isExecuting", "isFinished"])
    }

    @Test func `a key is announced from the state that it was true in`() {
        for cell in Self.cells {
            guard let move = cell.result().actions.move else {
                #expect(cell.result().state.key == cell.key, "\(cell)")
                continue
            }
            #expect(move == Machine.Move(old: cell.key, new: cell.result().state.key), "\(cell)")
        }
    }
}

/// What the table does not show: marks that an operation has over several events.
@Suite("An operation's marks", .timeLimit(.minutes(1)))
struct OperationMarkTests {
    typealias Machine = OperationMachine

    private func started() -> Machine {
        var machine = Machine()
        #expect(machine.start(areDependenciesDone: true).job == .begin(1))
        return machine
    }

    @Test func `a run that pauses before it began posts nothing, one that began its finish`() {
        var machine = started()
        #expect(machine.pause().notification == nil)
        #expect(machine.resume().goesOn)
        #expect(machine.goOn().job == .begin(2))
        #expect(machine.began(1) == .none)
        #expect(machine.began(2).notification == .didStart)
        #expect(machine.pause().notification == .didFinish)
        #expect(machine.ended(.success).notification == nil)
    }

    @Test func `an operation that never began posts its finish alone`() {
        var machine = started()
        #expect(machine.ended(.failure).notification == .didFinish)
    }

    @Test func `a resume while the object is made begins nothing, and the object ends it`() {
        var machine = started()
        #expect(machine.began(1).connects)
        #expect(machine.ended(.success, isObjectFirst: true).makesObject)
        #expect(machine.pause().job == .interrupt(1))
        #expect(machine.resume().goesOn)
        #expect(machine.goOn().job == .begin(2))
        #expect(machine.began(2) == .none)
        #expect(machine.objectMade().end == .success)
        #expect(machine.objectMade() == .none)
    }

    @Test func `where limits come after its first run it counts, also while it is paused`() {
        var machine = started()
        _ = machine.pause()
        #expect(machine.limited(areDependenciesDone: true).place == .take)
        #expect(machine.resume().goesOn)
        #expect(machine.limited(areDependenciesDone: true).place == .take)
        #expect(machine.goOn(hasPlace: true).job == .begin(2))
    }

    @Test func `it keeps itself while it is paused, was started and owes a result`() {
        var machine = Machine()
        machine.owesResult = true
        _ = machine.pause()
        #expect(!machine.keepsItself)
        _ = machine.resume()
        _ = machine.start(areDependenciesDone: true)
        #expect(!machine.keepsItself)
        _ = machine.pause()
        #expect(machine.keepsItself)
        machine.owesResult = false
        #expect(!machine.keepsItself)
    }

    @Test func `the blocks go with the last completion`() {
        var machine = Machine()
        machine.completionBegins()
        machine.completionBegins()
        #expect(!machine.completionEnds() && machine.completionEnds())
        #expect(!machine.isReleased)
        machine.release()
        #expect(machine.isReleased)
    }

    @Test func `one that was read finished from an archive is released`() {
        #expect(Machine(.finished).isReleased && !Machine().isReleased)
        #expect(Machine(.finished).wasStarted && !Machine().wasStarted && !Machine().hasRun)
    }
}
