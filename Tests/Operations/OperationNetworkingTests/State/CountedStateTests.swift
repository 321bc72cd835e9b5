import TestSupport

@testable import OperationNetworking

@Suite("A state and its count", .timeLimit(.minutes(1)))
struct CountedStateTests {
    @Test(arguments: OperationState.allCases, OperationState.allCases)
    func `a state is read as it was written, and is another number each time`(
        _ first: OperationState, _ second: OperationState
    ) {
        let before = CountedState.first(first)
        let between = CountedState.next(second, after: before)
        let after = CountedState.next(first, after: between)
        #expect(CountedState.state(before) == first)
        #expect(CountedState.state(between) == second)
        #expect(CountedState.state(after) == first)
        #expect(Set([before, between, after]).count == 3)
    }

    @Test(arguments: OperationState.allCases)
    func `a count that is full begins anew`(_ state: OperationState) {
        let last = CountedState.next(state, after: .max)
        #expect(CountedState.state(last) == state)
        #expect(last == CountedState.first(state))
    }
}
