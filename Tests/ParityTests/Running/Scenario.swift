import Foundation
import Testing

/// One recorded scenario, played again.
struct Scenario: Sendable, CustomTestStringConvertible {
    typealias Play = @MainActor @Sendable (Stage) async throws -> Void

    let id: String
    let freedom: Freedom
    let play: Play

    init(_ id: String, _ freedom: Freedom = .asRecorded, _ play: @escaping Play) {
        self.id = id
        self.freedom = freedom
        self.play = play
    }

    var testDescription: String { id }

    /// Plays it and compares it with its recording, event by event.
    @MainActor func run() async throws {
        let stage = try Stage()
        defer { stage.close() }
        let golden = try GoldenCase.named(id)
        try await play(stage)
        try await stage.untilClientsLeft(
            golden.output.canonical.count { $0["e"] == .string(Unobservable.connectionCancel) })
        try compare(await stage.observation(), golden)
    }

    private func compare(_ seen: Observation, _ golden: GoldenCase) throws {
        let changes = DeliberateDifference.changes(of: id)
        let expectation = try Expectation(golden, freedom, changes: changes)
        for change in expectation.unmatched {
            Issue.record("\(id): the listed difference \(change) names nothing in the recording.")
        }
        let mismatches = expectation.mismatches(with: seen)
        guard mismatches.isEmpty else {
            let events = seen.events.map { "  \($0)" }.joined(separator: "\n")
            Issue.record(
                "\(id):\n\(mismatches.joined(separator: "\n"))\nThe run showed:\n\(events)")
            return
        }
        for change in changes {
            let without = try Expectation(
                golden, freedom, changes: changes.filter { $0 != change })
            #expect(
                !without.mismatches(with: seen).isEmpty,
                "\(id): the listed difference \(change) is stale; the run agrees without it.")
        }
    }
}
