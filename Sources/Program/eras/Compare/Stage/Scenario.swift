import Foundation
import LoopbackServer

/// A job that every era does: one file for each scenario, with one function for each era.
///
/// The functions are written as a user of that time would have written them. They are called on the
/// main thread. They record outcomes whose names and values do not depend on time, and announce
/// with `Stage.ends(after:)` how many there are. The documentation shows their source.
protocol Scenario: Sendable {
    /// For the command line: lower-case letters and hyphens.
    var id: String { get }
    var title: String { get }
    var question: String { get }
    var changes: [Change] { get }
    /// The later eras without a column, and why.
    var without: [Column: String] { get }
    /// Whether columns with equal outcomes do equal work; otherwise their times are not compared.
    var isWorkTheSame: Bool { get }

    /// The server's routes; the standard routes by default.
    var routes: Routes { get }
    /// The server, not started; by default one with `routes`. It may write files into the folder, which
    /// the scenario finds with `Stage.file(_:)`.
    func server(in folder: URL) throws -> LoopbackServer
    /// The server's gates that are closed before the run.
    var gates: [String] { get }
    /// Adds routes before the run, in the server's process.
    func prepare(_ server: LoopbackServer)
    func connectionEra(_ stage: Stage) throws
    func sessionEra(_ stage: Stage) throws
    func requestEra(_ stage: Stage) throws
    /// The server's outcomes after the run, in the server's process.
    func serverOutcomes(_ server: LoopbackServer) -> [Outcome]
    /// The received requests as a text that does not vary between runs.
    func requests(_ seen: [RecordedRequest], in column: Column) -> String
}

/// A scenario that also runs in Foundation's `URLSession` for Linux, because its outcomes or its pace
/// differ.
protocol FoundationScenario: Scenario {
    func foundationEra(_ stage: Stage) throws
}

extension Scenario {
    var without: [Column: String] { [:] }
    var isWorkTheSame: Bool { true }
    var routes: Routes { .standard }
    func server(in folder: URL) throws -> LoopbackServer { LoopbackServer(routes: routes) }
    var gates: [String] { [] }
    func prepare(_ server: LoopbackServer) {}
    // Where an era has no column.
    func sessionEra(_ stage: Stage) throws {}
    func requestEra(_ stage: Stage) throws {}
    func serverOutcomes(_ server: LoopbackServer) -> [Outcome] { [] }
    func requests(_ seen: [RecordedRequest], in column: Column) -> String {
        RequestTally.text(seen)
    }

    /// The columns in which it runs.
    var columns: [Column] {
        Column.allCases.filter { column in
            without[column] == nil && (column != .foundation || self is any FoundationScenario)
        }
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

extension Outcome {
    /// The paths and queries of the requests, in their order.
    static func order(at server: LoopbackServer) -> Outcome {
        Outcome("order on the wire", server.requests.map(\.target).joined(separator: " "))
    }

    /// The ranges of the requests, in their order.
    static func ranges(at server: LoopbackServer) -> Outcome {
        let ranges = server.requests.map { $0.headers["Range"] ?? "all" }
        return Outcome("ranges asked for", ranges.joined(separator: ", "))
    }

    static func mostAtOnce(at server: LoopbackServer) -> Outcome {
        let most = server.statistics.peakInFlight
        return Outcome("most requests at once, counted by the server", "\(most)")
    }
}
