import TestSupport

@testable import CurlConnection

@Suite("The states of a load", .timeLimit(.minutes(1)))
struct LoadStateTests {
    private typealias Move = Load.Move

    /// Every move there is; a state and an event that are not here change nothing.
    private static let moves: [Load: [Load.Event: Move]] = [
        .idle: [.start: Move(.starting), .finish: Move(.over)],
        .starting: [.prepare: Move(.preparing), .read: Move(.reading), .finish: Move(.over)],
        .preparing: [
            .prepare: Move(.preparing), .read: Move(.reading), .serve: Move(.serving),
            .retry: Move(.retrying), .send: Move(.queued, .takeSlot), .finish: Move(.over),
        ],
        .retrying: [.prepare: Move(.preparing), .read: Move(.reading), .finish: Move(.over)],
        .serving: [.serve: Move(.serving), .finish: Move(.over)],
        .reading: [
            .prepare: Move(.preparing), .read: Move(.reading), .serve: Move(.serving),
            .finish: Move(.over),
        ],
        .queued: ofTransfer([
            .add: Move(.exchanging), .suspend: Move(.unsent, .leaveSlot),
        ]),
        .lookingUp: ofTransfer([
            .add: Move(.exchanging), .suspend: Move(.unsent, .leaveSlot),
        ]),
        .unsent: ofTransfer([.resume: Move(.queued, .takeNewSlot)]),
        .exchanging: ofTransfer([
            .lookUp: Move(.lookingUp, .lookUp), .startAgain: Move(.queued, .takeNewSlot),
            .suspend: Move(.unsent, .leaveSlot), .showHead: Move(.undecided),
            .complete: Move(.preparing, .endTransferInsideHeader),
            .fail: Move(.preparing, .endTransferWithError),
        ]),
        .undecided: ofTransfer([
            .deliver: Move(.delivering, .unpause), .discard: Move(.discarding, .unpauseToDiscard),
            .complete: Move(.completeUndecided), .fail: Move(.preparing, .endTransferWithError),
        ]),
        .delivering: ofTransfer([
            .complete: Move(.consuming, .endOnceConsumed),
            .fail: Move(.preparing, .endTransferWithError),
        ]),
        .discarding: ofTransfer([
            .complete: Move(.preparing, .endTransfer), .fail: Move(.preparing, .endTransfer),
        ]),
        .completeUndecided: ofTransfer([
            .deliver: Move(.consuming, .endOnceConsumedSoon),
            .discard: Move(.consuming, .endOnceConsumedSoon),
        ]),
        .consuming: ofTransfer([
            .consume: Move(.preparing, .endTransfer),
            .fail: Move(.preparing, .endTransferWithError),
        ]),
        .over: [:],
    ]

    /// The moves of a state in which a transfer has been started.
    private static func ofTransfer(_ moves: [Load.Event: Move]) -> [Load.Event: Move] {
        let ends: [Load.Event: Move] = [
            .abort: Move(.preparing, .endTransferWithError),
            .cancelTransfer: Move(.preparing, .removeTransfer),
            .closeTransport: Move(.over, .releaseTransfer), .finish: Move(.over),
        ]
        return moves.merging(ends) { own, _ in own }
    }

    @Test(arguments: Load.allCases, Load.Event.allCases)
    func `each event in each state makes its move, or none`(
        state: Load, event: Load.Event
    ) throws {
        #expect(state.move(on: event) == (try #require(Self.moves[state]))[event])
    }

    @Test func `each state but the first is reached, and the end from each`() {
        let next = Self.moves.mapValues { Set($0.values.map(\.state)) }
        var reached: Set<Load> = [.idle]
        while true {
            let more = reached.union(reached.flatMap { next[$0] ?? [] })
            if more == reached { break }
            reached = more
        }
        #expect(reached == Set(Load.allCases))
        for state in Load.allCases where state != .over {
            #expect(next[state]?.contains(.over) == true)
        }
    }

    @Test func `the end of a transfer is told once, and only on the way to the next step`() {
        let telling: [Load.Effect] = [
            .endTransfer, .endTransferWithError, .endTransferInsideHeader,
        ]
        for (state, moves) in Self.moves {
            for (event, move) in moves {
                let isEnd =
                    move.state == .preparing && ![.cancelTransfer, .prepare].contains(event)
                #expect(telling.contains(move.effect) == isEnd, "\(state) \(event)")
            }
        }
    }

    @Test func `callbacks count while libcurl has it, idleness while a peer is waited for`() {
        let with = Load.allCases.filter(\.isWithLibcurl)
        #expect(with == [.exchanging, .undecided, .delivering, .discarding])
        let limited = Load.allCases.filter(\.isIdlenessLimited)
        #expect(limited == [.lookingUp, .exchanging, .delivering, .discarding, .consuming])
    }
}
