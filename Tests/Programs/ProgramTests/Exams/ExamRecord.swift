import OperationNetworking
import TestSupport

/// What happened to operations, in order, from any thread.
struct ExamRecord: Sendable {
    enum Kind: Sendable, Equatable {
        case start, finish, success, failure
    }

    struct Event: Sendable {
        let kind: Kind
        /// The operation's number; 0 for a failure without one.
        let operation: Int
        let isMain: Bool
        /// Whether the operation was finished and not executing.
        let isAtRest: Bool
    }

    /// What a success or failure block was given.
    struct Outcome: @unchecked Sendable {
        // @unchecked because a parsed object is only read.
        let object: Any?
        let error: NSError?

        func text(_ keys: String...) -> String? { value(keys) as? String }
        func value(_ keys: String...) -> Any? { value(keys) }

        private func value(_ keys: [String]) -> Any? {
            keys.reduce(object) { ($0 as? [String: Any])?[$1] }
        }
    }

    private struct Tracked: Sendable {
        let number: Int
        weak var operation: URLConnectionOperation?
    }

    private(set) var events: [Event] = []
    private(set) var outcomes: [Int: Outcome] = [:]
    private var tracked: [Tracked] = []

    /// The operations' number, from 1 in the order in which they were first seen.
    mutating func number(of operation: URLConnectionOperation) -> Int {
        if let known = known(operation) { return known }
        tracked.append(Tracked(number: tracked.count + 1, operation: operation))
        return tracked.count
    }

    func known(_ operation: URLConnectionOperation) -> Int? {
        tracked.first { $0.operation === operation }?.number
    }

    var numbers: [Int] { tracked.map(\.number) }
    var living: [URLConnectionOperation] { tracked.compactMap(\.operation) }

    mutating func add(_ kind: Kind, _ operation: URLConnectionOperation?) {
        let isAtRest = operation.map { $0.isFinished && !$0.isExecuting } ?? true
        events.append(
            Event(
                kind: kind, operation: operation.map { number(of: $0) } ?? 0,
                isMain: MainQueue.isCurrent, isAtRest: isAtRest))
    }

    mutating func end(_ operation: URLConnectionOperation?, _ kind: Kind, _ outcome: Outcome) {
        add(kind, operation)
        outcomes[operation.map { number(of: $0) } ?? 0] = outcome
    }

    func kinds(of number: Int) -> [Kind] {
        events.filter { $0.operation == number }.map(\.kind)
    }

    /// The operations' numbers in the order of an event.
    func order(of kind: Kind) -> [Int] { events.filter { $0.kind == kind }.map(\.operation) }
}
