import OperationNetworking
import TestSupport

// What a program waits for, and what it may expect then.

extension Exam {
    /// Waits until one of an operation's blocks was called.
    func outcome(
        of operation: HTTPRequestOperation?, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ExamRecord.Outcome {
        let operation = try #require(operation, sourceLocation: sourceLocation)
        let number = record.change { $0.number(of: operation) }
        await record.wait(until: "the outcome", sourceLocation: sourceLocation) {
            $0.outcomes[number] != nil
        }
        return try #require(record.now.outcomes[number], sourceLocation: sourceLocation)
    }

    /// Waits for an operation's end, which must be a success.
    func expectSuccess(
        of operation: HTTPRequestOperation?, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let outcome = try await outcome(of: operation, sourceLocation: sourceLocation)
        #expect(outcome.error == nil, sourceLocation: sourceLocation)
    }

    /// Waits for an operation's end, which must be a failure.
    func error(
        of operation: HTTPRequestOperation?, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> NSError {
        let outcome = try await outcome(of: operation, sourceLocation: sourceLocation)
        return try #require(outcome.error, sourceLocation: sourceLocation)
    }

    /// Waits until so many blocks were called.
    func outcomes(
        _ count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> [ExamRecord.Outcome] {
        await record.wait(until: "\(count) outcomes", sourceLocation: sourceLocation) {
            $0.outcomes.count >= count
        }
        let outcomes = record.now.outcomes
        return outcomes.keys.sorted().compactMap { outcomes[$0] }
    }

    /// Waits, on a new thread, until the server counts this.
    func serverSees(
        _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @escaping @Sendable (Statistics, [RecordedRequest]) -> Bool
    ) async {
        let isSeen = await server?.sees(condition) ?? true
        if !isSeen {
            Issue.record("The server does not see: \(what).", sourceLocation: sourceLocation)
        }
    }

    /// Waits, on a new thread, until so many answers have come to a gate.
    func reached(_ gate: String, count: Int = 1) async {
        let isReached = await server?.reaches(gate, count: count) ?? true
        if !isReached { Issue.record("No \(count) answers came to the gate \(gate).") }
    }

    /// A path whose answer, JSON, waits at a gate.
    func gate(_ name: String) -> String {
        server?.add("/held/\(name)") { _ in
            .json(#"{"passed":true}"#).after(.wait(gate: name))
        }
        return "held/\(name)"
    }

    /// Operations start in the order of their numbers; those that a queue starts at once, on
    /// threads of its own, in any order among themselves.
    func expectStartsInOrder(
        width: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let order = record.now.order(of: .start)
        let isInOrder = zip(order, 1...).allSatisfy { abs($0 - $1) < width }
        #expect(isInOrder, "\(order)", sourceLocation: sourceLocation)
    }
}
