import Foundation

/// What this package did in a recorded scenario, as the tests played it, and what they say of it.
package struct PortTrace: Sendable, Codable, Equatable {
    package enum Verdict: String, Sendable, Codable, CaseIterable {
        case equal
        /// Differs, for the reason that is listed.
        case deliberate
        /// Differs beneath the original, in the Foundation that it ran on.
        case foundation
    }

    /// An event of the run.
    package enum Step: Sendable, Equatable {
        /// The same as the event at this place of the recording.
        case same(Int)
        /// The same but for a detail that is Foundation's, such as the code of a transfer that failed.
        case like(Int, GoldenValue)
        case other(GoldenValue)

        /// The place of the recorded event that it is.
        package var place: Int? {
            switch self {
            case .same(let place), .like(let place, _): place
            case .other: nil
            }
        }
    }

    package let id: String
    package let verdict: Verdict
    /// Where the reason stands; empty where there is none.
    package let statement: String
    package let reason: String
    package let events: [Step]
    /// The places of recorded events that cannot be seen here.
    package let unseen: [Int]
    /// What differs besides events, a sentence each.
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

    /// Those of an original.
    ///
    /// - Throws: what `JSONDecoder` throws.
    package static func all(of original: Original) throws -> [PortTrace] {
        try JSONDecoder().decode([PortTrace].self, from: Data(original.portTraces.utf8))
    }

    /// The file's text: one a line.
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
    /// The member of an event that says which of the recording it is like.
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
