import Foundation
import LoopbackServer

/// One job that every era does: one file a scenario, one function an era.
///
/// The functions are written as a user of that time would have written them. They are called on the
/// main thread. They record outcomes whose names and values do not depend on time, and announce
/// with `Stage.ends(after:)` how many there are. The documentation shows their source.
protocol Scenario: Sendable {
    /// For the command line: small letters and hyphens.
    var id: String { get }
    var title: String { get }
    /// The question that the run answers.
    var question: String { get }
    /// What is not the same in all columns.
    var changes: [Change] { get }
    /// The later eras without a column, and why.
    var without: [Column: String] { get }

    /// The server's routes; the standard routes by default.
    var routes: Routes { get }
    /// The server, not started; one with the routes by default. What it leaves in the folder, the
    /// scenario finds with `Stage.file(_:)`.
    func server(in folder: URL) throws -> LoopbackServer
    /// Adds routes and closes gates before the run, in the server's process.
    func prepare(_ server: LoopbackServer)
    func connectionEra(_ stage: Stage) throws
    func sessionEra(_ stage: Stage) throws
    func requestEra(_ stage: Stage) throws
    /// The server's outcomes after the run, in the server's process.
    func witness(_ server: LoopbackServer) -> [Outcome]
    /// The received requests as a text that is the same on every run.
    func requests(_ seen: [RecordedRequest], in column: Column) -> String
}

/// One that Foundation's `URLSession` for Linux comes to something else in, or whose pace shows the difference.
protocol FoundationScenario: Scenario {
    func foundationEra(_ stage: Stage) throws
}

extension Scenario {
    var without: [Column: String] { [:] }
    var routes: Routes { .standard }
    func server(in folder: URL) throws -> LoopbackServer { LoopbackServer(routes: routes) }
    func prepare(_ server: LoopbackServer) {}
    // Where an era has no column.
    func sessionEra(_ stage: Stage) throws {}
    func requestEra(_ stage: Stage) throws {}
    func witness(_ server: LoopbackServer) -> [Outcome] { [] }
    func requests(_ seen: [RecordedRequest], in column: Column) -> String {
        RequestTally.text(seen)
    }

    /// The columns in which it runs.
    var columns: [Column] {
        Column.allCases.filter { column in
            without[column] == nil && (column != .foundation || self is any FoundationScenario)
        }
    }

    /// The server's part of the outcomes.
    func evidence(_ server: LoopbackServer, in column: Column) -> [Outcome] {
        witness(server) + [Outcome("requests", requests(server.requests, in: column))]
    }

    func run(_ column: Column, on stage: Stage) throws {
        switch column {
        case .connection: try connectionEra(stage)
        case .session: try sessionEra(stage)
        case .request: try requestEra(stage)
        case .foundation: try (self as? any FoundationScenario)?.foundationEra(stage)
        }
    }
}
