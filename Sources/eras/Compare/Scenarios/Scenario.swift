import LoopbackServer

/// One job that both eras do: one file a scenario, one function an era.
///
/// The functions are written as a user of that time would have written them, and are called on the
/// main thread. They record what came of it, under names and with values that do not depend on how
/// long anything took, and say with `Stage.ends(after:)` when they are over. The documentation
/// shows their source.
protocol Scenario: Sendable {
    /// For the command line: small letters and hyphens.
    var id: String { get }
    var title: String { get }
    /// What somebody may want to know before he sees the run.
    var question: String { get }
    /// What the later era changed here.
    var change: Change { get }

    /// What the server answers; the standard routes unless said otherwise.
    var routes: Routes { get }
    /// Adds routes and holds gates, before the run, where the server is.
    func prepare(_ server: LoopbackServer)
    func connectionEra(_ stage: Stage) throws
    func sessionEra(_ stage: Stage) throws
    /// What the server saw of it, after the run, where the server is.
    func witness(_ server: LoopbackServer) -> [Outcome]
    /// The requests that the server saw, in words that are the same on every run.
    func requests(_ seen: [RecordedRequest], in era: Era) -> String
}

extension Scenario {
    var routes: Routes { .standard }
    func prepare(_ server: LoopbackServer) {}
    func witness(_ server: LoopbackServer) -> [Outcome] { [] }
    func requests(_ seen: [RecordedRequest], in era: Era) -> String { RequestTally.text(seen) }

    /// What the server saw, which is part of what is compared.
    func evidence(_ server: LoopbackServer, in era: Era) -> [Outcome] {
        witness(server) + [Outcome("requests", requests(server.requests, in: era))]
    }

    func run(_ era: Era, on stage: Stage) throws {
        switch era {
        case .connection: try connectionEra(stage)
        case .session: try sessionEra(stage)
        }
    }
}
