import Foundation

/// What a child says on its standard output, one a line.
enum ChildMessage: Codable, Sendable {
    /// Answer with the number once so many answers have come to the gate.
    case whenReached(number: Int, gate: String, count: Int)
    /// Answer with the number once so many clients have left before their answer's end.
    case whenLeft(number: Int, count: Int)
    case release(gate: String)
    case report(ChildReport)

    /// - Returns: nil for a line that is none of these.
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

/// What came of a scenario in one era, as its process saw it.
struct ChildReport: Codable, Sendable {
    var outcomes: [Outcome] = []
    var callbacks: [Stage.Callback] = []
    var peakThreads = 0
    /// From the scenario's first call to its last outcome, milliseconds.
    var wallMilliseconds = 0.0
    /// Of all threads in that time, milliseconds.
    var processorMilliseconds = 0.0
    /// When the scenario was called, nanoseconds of the monotonic clock.
    var began: UInt64 = 0
    /// Why the scenario could not be run.
    var error: String?
}

extension ChildReport {
    /// Without the times.
    init(_ record: Stage.Record) {
        outcomes = record.outcomes
        callbacks = record.callbacks
        peakThreads = record.peakThreads
    }
}
