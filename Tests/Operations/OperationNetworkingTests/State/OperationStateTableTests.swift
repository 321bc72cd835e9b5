import TestSupport

@testable import OperationNetworking

/// The table against rules that were written down on their own: what an event needs, and what then
/// follows. Everything that no rule allows must be no move at all (OP-3).
@Suite("The table of states", .timeLimit(.minutes(5)))
struct OperationStateTableTests {
    typealias State = OperationState

    /// One row of the whole table.
    struct Row: Sendable, CustomStringConvertible {
        var state: State
        var event: State.Event
        var circumstances: State.Circumstances

        var moves: State.Moves { state.moves(on: event, circumstances) }
        var isCancelled: Bool { circumstances.isCancelled }
        var isOwn: Bool { circumstances.wasStarted }
        var hasFailed: Bool { circumstances.hasFailed }
        var description: String {
            "\(event) in \(state), cancelled \(isCancelled), started \(isOwn), "
                + "dependencies done \(circumstances.areDependenciesDone), "
                + "failed \(hasFailed)"
        }
    }

    static let rows: [Row] = State.allCases.flatMap { state in
        State.Event.allCases.flatMap { event in
            (0..<16).map { bits in
                Row(
                    state: state, event: event,
                    circumstances: State.Circumstances(
                        isCancelled: bits & 1 != 0, areDependenciesDone: bits & 2 != 0,
                        wasStarted: bits & 4 != 0, hasFailed: bits & 8 != 0))
            }
        }
    }

    /// A sentence that allows a move: when it applies, and what the move is.
    struct Rule: Sendable {
        var sentence: String
        var applies: @Sendable (Row) -> Bool
        var moves: State.Moves
    }

    static let rules: [Rule] = [
        Rule(
            sentence: "A start begins a ready operation that waits for nobody (OP-10, OP-11).",
            applies: {
                $0.event == .start && $0.state == .ready && !$0.isCancelled && !$0.hasFailed
                    && $0.circumstances.areDependenciesDone
            }, moves: .init(states: [.executing], work: .begin)),
        Rule(
            sentence: "A start ends a cancelled or failed operation, also a waiting one (OP-16).",
            applies: {
                $0.event == .start && $0.state == .ready && ($0.isCancelled || $0.hasFailed)
            },
            moves: .init(work: .abort)),
        Rule(
            sentence: "The first cancel ends what was started once, paused too (OP-15, wound 13).",
            applies: {
                $0.event == .cancel && !$0.isCancelled && $0.state != .finished
                    && ($0.isOwn || $0.state == .executing)
            }, moves: .init(work: .abort)),
        Rule(
            sentence: "The first cancel of what was paused unstarted lets its queue start it.",
            applies: {
                $0.event == .cancel && !$0.isCancelled && $0.state == .paused && !$0.isOwn
            }, moves: .init(states: [.ready])),
        Rule(
            sentence: "A pause takes a ready operation out of its queue's sight (OP-28).",
            applies: {
                $0.event == .pause && $0.state == .ready && !$0.isCancelled && !$0.hasFailed
            },
            moves: .init(states: [.paused])),
        Rule(
            sentence: "A pause stops the connection of a run (OP-27).",
            applies: {
                $0.event == .pause && $0.state == .executing && !$0.isCancelled && !$0.hasFailed
            },
            moves: .init(states: [.paused], work: .interrupt)),
        Rule(
            sentence: "A resume begins what was started before: nobody else will (wound 14).",
            applies: {
                $0.event == .resume && $0.state == .paused && !$0.isCancelled && $0.isOwn
            }, moves: .init(states: [.ready, .executing], work: .begin)),
        Rule(
            sentence: "A resume leaves to the queue what the queue has not started (wound 14).",
            applies: {
                $0.event == .resume && $0.state == .paused && !$0.isCancelled && !$0.isOwn
            }, moves: .init(states: [.ready])),
        Rule(
            sentence: "A result ends a run, also one whose pause came too late (wound 27).",
            applies: { $0.event == .complete && [.executing, .paused].contains($0.state) },
            moves: .init(states: [.finished])),
        Rule(
            sentence: "A result ends a ready operation only if it was cancelled or failed (OP-2).",
            applies: {
                $0.event == .complete && $0.state == .ready && ($0.isCancelled || $0.hasFailed)
            },
            moves: .init(states: [.finished])),
    ]

    @Test(arguments: State.allCases)
    func `each row is what the rules say, in`(state: State) {
        for row in Self.rows where row.state == state {
            let applying = Self.rules.filter { $0.applies(row) }
            #expect(applying.count <= 1, "The rules contradict one another: \(row)")
            #expect(row.moves == applying.first?.moves ?? State.Moves(), "\(row)")
        }
    }

    @Test func `every rule has a row`() {
        #expect(Self.rows.count == 4 * 5 * 16)
        for rule in Self.rules {
            #expect(Self.rows.contains(where: rule.applies), "\(rule.sentence)")
        }
    }

    /// OP-2's list, and Paused->Finished, which wound 27 adds.
    @Test func `only the allowed transitions are made`() {
        let allowed: Set<[State]> = [
            [.ready, .executing], [.ready, .paused], [.ready, .finished], [.executing, .finished],
            [.executing, .paused], [.paused, .ready], [.paused, .finished],
        ]
        var made: Set<[State]> = []
        for row in Self.rows {
            let path = [row.state] + row.moves.states
            made.formUnion(zip(path, path.dropFirst()).map { [$0, $1] })
        }
        #expect(made == allowed)
    }

    @Test func `a finished operation never moves`() {
        for row in Self.rows where row.state == .finished {
            #expect(row.moves == State.Moves(), "\(row)")
        }
    }

    @Test func `a cancelled operation can only end`() {
        for row in Self.rows where row.isCancelled {
            #expect(row.moves.states.allSatisfy { $0 == .finished }, "\(row)")
            #expect([.none, .abort].contains(row.moves.work), "\(row)")
        }
    }

    @Test func `states have the original's numbers and keys`() {
        #expect(State.allCases.map(\.rawValue) == [-1, 1, 2, 3])
        #expect(
            State.allCases.map(\.keyPath) == ["isPaused", "isReady", "isExecuting", "isFinished"])
    }
}
