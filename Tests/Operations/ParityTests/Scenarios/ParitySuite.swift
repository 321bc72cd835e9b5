import TestSupport

/// Every scenario recorded from AFNetworking 2.6.3, played again one after the other.
@Suite("Parity with the recorded original", .serialized, .timeLimit(.minutes(3)))
enum Parity {
    /// Every scenario that is played.
    static let scenarios =
        Successes.scenarios + Failures.scenarios + Cancelling.scenarios
        + CancellingLate.scenarios + Completion.scenarios + Pausing.scenarios
        + Questions.scenarios + Uploads.scenarios + Dependencies.scenarios + Limits.scenarios
        + Batches.scenarios + Streams.scenarios + Copies.scenarios + Managers.scenarios
        + Described.scenarios

    @Test(arguments: scenarios)
    static func `each scenario shows what the original showed, or is described to show`(
        scenario: Scenario
    ) async throws {
        try await scenario.run()
    }
}
