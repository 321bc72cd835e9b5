import Foundation

/// A scenario that was recorded with AFNetworking or Alamofire, with the same scenario in this package.
package struct RecordedTrace: Sendable {
    package let original: Original
    package let id: String
    /// What the scenario does, as the recording describes it.
    package let description: String
    /// A remark in the recording.
    package let note: String
    /// The events, in the order that was recorded most often.
    package let events: [TraceEvent]
    package let port: PortTrace
    package let rows: [TraceRow]

    /// Reads all scenarios that were recorded and that a test repeats, AFNetworking's first.
    ///
    /// - Throws: an error of `JSONDecoder`.
    package static func all() throws -> [RecordedTrace] {
        try Original.allCases.flatMap { original in
            let runs = try PortTrace.all(of: original).map { ($0.id, $0) }
            let ports = Dictionary(runs) { first, _ in first }
            let cases = try JSONDecoder().decode(
                [Recorded].self, from: Data(original.recordings.utf8))
            return cases.compactMap { recorded in
                ports[recorded.id].map { RecordedTrace(original, recorded, $0) }
            }
        }
    }

    private init(_ original: Original, _ recorded: Recorded, _ port: PortTrace) {
        self.original = original
        id = recorded.id
        description = recorded.input["description"]?.string ?? ""
        note = recorded.note
        events = recorded.events.map(TraceEvent.init)
        self.port = port
        rows = TraceRow.rows(events, port)
    }

    private struct Recorded: Decodable {
        let id: String
        let input: GoldenValue
        let note: String
        let events: [GoldenValue]

        private enum Key: CodingKey { case id, input, note, output }
        private enum OutputKey: CodingKey { case canonical }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Key.self)
            id = try members.decode(String.self, forKey: .id)
            input = try members.decodeIfPresent(GoldenValue.self, forKey: .input) ?? .null
            note = try members.decodeIfPresent(String.self, forKey: .note) ?? ""
            // The file also has cases without a trace.
            let output = try? members.nestedContainer(keyedBy: OutputKey.self, forKey: .output)
            events = try output?.decodeIfPresent([GoldenValue].self, forKey: .canonical) ?? []
        }
    }
}
