import ParitySupport
import TestSupport

/// One recorded scenario, played again.
struct Scenario: Sendable, CustomTestStringConvertible {
    typealias Play = @MainActor @Sendable (Stage) async throws -> Void

    let id: String
    let freedom: Freedom
    /// What it was written from.
    let source: Source
    private let play: Play

    /// What a scenario was written from.
    enum Source: Sendable {
        case recording
        /// Its description alone. What the recorder itself marked is not known then, nor whether it
        /// set progress blocks; both are left out of the comparison.
        case description
    }

    init(
        _ id: String, _ freedom: Freedom = .asRecorded, from source: Source = .recording,
        _ play: @escaping Play
    ) {
        self.id = id
        self.freedom = freedom
        self.source = source
        self.play = play
    }

    var testDescription: String { id }

    /// Plays it and compares it with its recording, event by event, where there is one.
    @MainActor func run() async throws {
        let seen = try await Plays.observation(of: self)
        guard let golden = try GoldenCase.named(id) ?? GoldenCase.listed(id) else { return }
        let lines = try Disagreement(self, golden, seen).lines
        guard !lines.isEmpty else { return }
        let events = seen.events.map { "  \($0)" }.joined(separator: "\n")
        Issue.record("\(id):\n\(lines.joined(separator: "\n"))\nThe run showed:\n\(events)")
    }

    /// How it compares with a recording.
    func verdict(_ golden: GoldenCase) async -> ParityTally.Verdict {
        do {
            let seen = try await Plays.observation(of: self)
            let lines = try Disagreement(self, golden, seen).lines
            guard lines.isEmpty else { return .other(lines.joined(separator: " ")) }
            return DeliberateDifference.changes(of: id).isEmpty ? .equal : .deliberate
        } catch {
            return .other("\(error)")
        }
    }

    /// Plays it anew.
    @MainActor func playOnStage() async throws -> Observation {
        let stage = try Stage()
        defer { stage.close() }
        try await play(stage)
        if let golden = try GoldenCase.named(id),
            !DeliberateDifference.listsEvents(of: id)
        {
            try await stage.untilClientsLeft(
                golden.output.canonical.count { $0["e"] == .string(Unobservable.connectionCancel) })
        }
        return await stage.observation()
    }
}

/// Every scenario is played once, one after the other, for all tests that ask for it.
@MainActor enum Plays {
    private static var plays: [String: Task<Observation, any Error>] = [:]
    private static var last: Task<Void, Never>?

    /// What a scenario showed.
    static func observation(of scenario: Scenario) async throws -> Observation {
        let name = "\(scenario.id) from its \(scenario.source)"
        if let play = plays[name] { return try await play.value }
        let previous = last
        let play = Task {
            await previous?.value
            return try await scenario.playOnStage()
        }
        plays[name] = play
        last = Task { _ = try? await play.value }
        return try await play.value
    }
}
