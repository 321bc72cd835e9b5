import Foundation

/// What this package did when the tests repeated a recorded scenario, and the tests' verdict.
package struct PortTrace: Sendable, Codable, Equatable {
    package enum Verdict: String, Sendable, Codable, CaseIterable {
        case equal
        /// Differs on purpose; `statement` has the reason.
        case deliberate
        /// Differs because the original ran on another Foundation.
        case foundation
    }

    /// An event of the run.
    package enum Step: Sendable, Equatable {
        /// The same as the recorded event with this index.
        case same(Int)
        /// The same except for a detail that Foundation decides, such as an error's code.
        case like(Int, GoldenValue)
        case other(GoldenValue)

        /// The index of the recorded event that it corresponds to.
        package var place: Int? {
            switch self {
            case .same(let place), .like(let place, _): place
            case .other: nil
            }
        }
    }

    package let id: String
    package let verdict: Verdict
    /// The number of the statement that has the reason; empty without one.
    package let statement: String
    package let reason: String
    package let events: [Step]
    /// The indices of recorded events that cannot be observed here.
    package let unseen: [Int]
    /// Differences besides events, one sentence each.
    package let states: [String]

    package init(
        id: String, verdict: Verdict, statement: String, reason: String, events: [Step],
        unseen: [Int], states: [String]
    ) {
        self.id = id
        self.verdict = verdict
        self.statement = statement
        self.reason = reason
        self.events = events
        self.unseen = unseen
        self.states = states
    }

    /// All traces of an original's scenarios.
    ///
    /// - Throws: what `JSONDecoder` throws.
    package static func all(of original: Original) throws -> [PortTrace] {
        try JSONDecoder().decode([PortTrace].self, from: Data(original.portTraces.utf8))
    }

    /// The file's text, with one trace a line.
    ///
    /// - Throws: what `JSONEncoder` throws.
    package static func text(of traces: [PortTrace]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let lines = try traces.map { String(decoding: try encoder.encode($0), as: UTF8.self) }
        return "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    }
}

extension PortTrace.Step: Codable {
    /// The key of an event's member that has the index of the recorded event.
    private static let place = "at"

    package init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let place = try? value.decode(Int.self) {
            self = .same(place)
            return
        }
        let event = try value.decode(GoldenValue.self)
        if case .int(let place)? = event[Self.place] {
            var members = event.members
            members[Self.place] = nil
            self = .like(place, .object(members))
        } else {
            self = .other(event)
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .same(let place): try value.encode(place)
        case .like(let place, let event):
            try value.encode(event.members.merging([Self.place: .int(place)]) { $1 })
        case .other(let event): try value.encode(event)
        }
    }
}
