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
