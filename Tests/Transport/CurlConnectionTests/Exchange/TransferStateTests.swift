import TestSupport

@testable import CurlConnection

@Suite("The states of a transfer", .timeLimit(.minutes(1)))
struct TransferStateTests {
    private typealias State = TransferState
    private typealias Event = TransferState.Event
    private typealias Move = TransferState.Move

    /// Every move there is; a state and an event that are not here change nothing.
    private static let moves: [State: [Event: Move]] = [
        .idle: [
            .start: Move(.queued, .enqueue), .cancel: Move(.over, .leave),
            .abandon: Move(.over, .letGo),
        ],
        .queued: [
            .begin: Move(.exchanging), .suspend: Move(.suspended, .giveUpPlace),
            .abort: Move(.over, .fail), .cancel: Move(.over, .leave),
            .abandon: Move(.over, .letGo),
        ],
        .lookingUp: [
            .begin: Move(.exchanging), .suspend: Move(.suspended, .giveUpPlace),
            .abort: Move(.over, .fail), .cancel: Move(.over, .leave),
            .abandon: Move(.over, .letGo),
        ],
        .suspended: [
            .resume: Move(.queued, .enqueueAgain), .abort: Move(.over, .fail),
            .cancel: Move(.over, .leave), .abandon: Move(.over, .letGo),
        ],
        .exchanging: [
            .lookUp: Move(.lookingUp, .lookUp), .startAgain: Move(.queued, .enqueueAgain),
            .suspend: Move(.suspended, .giveUpPlace),
            .showHead: Move(.undecided), .complete: Move(.over, .failInsideHead),
            .fail: Move(.over, .fail), .abort: Move(.over, .fail), .cancel: Move(.over, .leave),
            .abandon: Move(.over, .letGo),
        ],
        .undecided: [
            .deliver: Move(.delivering, .resume), .discard: Move(.discarding, .resumeToDiscard),
            .complete: Move(.completeUndecided), .fail: Move(.over, .fail),
            .abort: Move(.over, .fail), .cancel: Move(.over, .leave),
            .abandon: Move(.over, .letGo),
        ],
        .delivering: [
            .complete: Move(.draining, .drain), .fail: Move(.over, .fail),
            .abort: Move(.over, .fail), .cancel: Move(.over, .leave),
            .abandon: Move(.over, .letGo),
        ],
        .discarding: [
            .complete: Move(.over, .succeed), .fail: Move(.over, .succeed),
            .abort: Move(.over, .fail), .cancel: Move(.over, .leave),
            .abandon: Move(.over, .letGo),
        ],
        .completeUndecided: [
            .deliver: Move(.draining, .drainSoon), .discard: Move(.draining, .drainSoon),
            .abort: Move(.over, .fail), .cancel: Move(.over, .leave),
            .abandon: Move(.over, .letGo),
        ],
        .draining: [
            .drain: Move(.over, .succeed), .fail: Move(.over, .fail), .abort: Move(.over, .fail),
            .cancel: Move(.over, .leave), .abandon: Move(.over, .letGo),
        ],
        .over: [:],
    ]

    @Test(arguments: TransferState.allCases, TransferState.Event.allCases)
    func `each event in each state makes its move, or none`(
        state: TransferState, event: TransferState.Event
    ) throws {
        #expect(state.move(on: event) == (try #require(Self.moves[state]))[event])
    }

    @Test func `each state but the first is reached, and the end from each`() {
        let next = Self.moves.mapValues { Set($0.values.map(\.state)) }
        var reached: Set<State> = [.idle]
        while true {
            let more = reached.union(reached.flatMap { next[$0] ?? [] })
            if more == reached { break }
            reached = more
        }
        #expect(reached == Set(State.allCases))
        for state in State.allCases where state != .over {
            #expect(next[state]?.contains(.over) == true)
        }
    }

    @Test func `the delegate is told of an end once, and only on the way to it`() {
        let telling: [TransferState.Effect] = [.succeed, .fail, .failInsideHead]
        for (state, moves) in Self.moves {
            for (event, move) in moves {
                let isEnd = move.state == .over && ![.cancel, .abandon].contains(event)
                #expect(telling.contains(move.effect) == isEnd, "\(state) \(event)")
            }
        }
    }

    @Test func `callbacks count while libcurl has it, idleness while a peer is waited for`() {
        let with = State.allCases.filter(\.isWithLibcurl)
        #expect(with == [.exchanging, .undecided, .delivering, .discarding])
        let unlimited = State.allCases.filter { !$0.isIdlenessLimited }
        #expect(unlimited == [.idle, .queued, .suspended, .undecided, .completeUndecided, .over])
    }
}
