import TestSupport

@testable import OperationNetworking

@Suite("A key and its count", .timeLimit(.minutes(1)))
struct CountedKeyTests {
    typealias Key = OperationMachine.Key

    @Test(arguments: Key.allCases, Key.allCases)
    func `a key is read as it was written, and is another number each time`(
        _ first: OperationMachine.Key, _ second: OperationMachine.Key
    ) {
        let before = CountedKey(first)
        let between = before.next(second)
        let after = between.next(first)
        #expect(before.key == first)
        #expect(between.key == second)
        #expect(after.key == first)
        #expect(Set([before, between, after]).count == 3)
    }

    @Test(arguments: Key.allCases)
    func `a count that is full begins anew`(_ key: OperationMachine.Key) {
        let last = CountedKey(number: .max).next(key)
        #expect(last.key == key)
        #expect(last == CountedKey(key))
    }
}
