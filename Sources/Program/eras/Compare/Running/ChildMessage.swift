import Foundation

/// A message of a child on its standard output, one a line.
enum ChildMessage: Codable, Sendable {
    /// Asks for a reply with the number, once so many responses have reached the gate.
    case whenReached(number: Int, gate: String, count: Int)
    /// Asks for a reply with the number, once so many clients have disconnected before the end of
    /// their response.
    case whenLeft(number: Int, count: Int)
    case release(gate: String)
    case report(ChildReport)

    /// - Returns: nil for a line that is no message.
    init?(line: some DataProtocol) {
        guard let message = try? JSONDecoder().decode(Self.self, from: Data(line)) else {
            return nil
        }
        self = message
    }

    /// With its line feed.
    var line: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return ((try? encoder.encode(self)) ?? Data()) + Data("\n".utf8)
    }
}

/// The result of a scenario in one column, from its process.
struct ChildReport: Codable, Sendable {
    var outcomes: [Outcome] = []
    var callbacks: [Stage.Callback] = []
    var peakThreads = 0
    /// From the scenario's first call to its last outcome, in milliseconds.
    var wallMilliseconds = 0.0
    /// Processor time of all threads in that time, in milliseconds.
    var processorMilliseconds = 0.0
    /// When the scenario was called, in nanoseconds of the monotonic clock.
    var began: UInt64 = 0
    /// The reason why the scenario could not be run.
    var error: String?
}

extension ChildReport {
    /// A report without times.
    init(_ record: Stage.Record) {
        outcomes = record.outcomes
        callbacks = record.callbacks
        peakThreads = record.peakThreads
    }
}
