import CTraces
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

/// One event of a trace, in words.
package struct TraceEvent: Sendable, Hashable {
    /// The thread in one word; `threads` explains it.
    package let thread: String
    package let text: String

    /// - Parameter value: an event as the recorder or a test wrote it.
    package init(_ value: GoldenValue) {
        var details = value.members
        let name = details.removeValue(forKey: "e")?.string
        let operation = details.removeValue(forKey: "op")?.string
        thread = Self.word(details.removeValue(forKey: "thread")?.string ?? "")
        let what = name.map { Self.what($0, details) } ?? details["what"]?.string ?? ""
        text = (operation.map { "\($0)." } ?? "") + what
    }

    /// What the words for threads mean.
    package static let threads = [
        ("main", "the main thread"),
        ("network", "AFNetworking's thread for all connections"),
        ("worker", "a thread of the operation queue"),
        ("delegate", "the session's delegate queue"),
        ("request", "the request's own queue"),
        ("utility", "a global queue, or a thread without an operation queue"),
    ]

    private static func word(_ thread: String) -> String {
        switch thread {
        case "AFNetworking": "network"
        case "opqueue": "worker"
        case "the session's delegate queue": "delegate"
        case "the request's queue": "request"
        case "utility queue": "utility"
        case let other: other.split(separator: ".").last.map(String.init) ?? other
        }
    }

    private static func what(_ name: String, _ details: [String: GoldenValue]) -> String {
        func value(_ key: String) -> String { details[key]?.text ?? "" }
        switch name {
        case "kvo": return "\(value("key")) \(value("old"))>\(value("new"))"
        case "notification" where details["object"] == nil:
            return "\(value("name").split(separator: ".").last ?? "") notification"
        case "notification":
            var rest = details
            rest["name"] = nil
            if rest["taskInUserInfo"] == .bool(true) { rest["taskInUserInfo"] = nil }
            return marker(value("name"), rest)
        case "downloadProgress" where details["bytes"] != nil,
            "uploadProgress" where details["bytes"] != nil:
            return "\(name) \(value("bytes")),\(value("total")),\(value("expected"))"
        default: return marker(name, details)
        }
    }

    /// The name, `what`, and the other details by name, without those that are nil.
    private static func marker(_ name: String, _ details: [String: GoldenValue]) -> String {
        var rest = details.filter { !$0.value.isNil }
        let first = rest.removeValue(forKey: "what")?.text ?? rest.removeValue(forKey: name)?.text
        let others = rest.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }
        return ([name, first].compactMap(\.self) + others).joined(separator: " ")
    }
}

/// An original library whose run was recorded.
package enum Original: String, CaseIterable, Sendable {
    case afnetworking = "AFNetworking 2.6.3"
    case alamofire = "Alamofire 4.9.1"

    /// Its recordings, as JSON.
    package var recordings: String {
        switch self {
        case .afnetworking: String(cString: ctraces_get_afnetworking())
        case .alamofire: String(cString: ctraces_get_alamofire())
        }
    }

    /// What this package did in the same scenarios: a JSON list of `PortTrace`.
    package var portTraces: String {
        switch self {
        case .afnetworking: String(cString: ctraces_get_port_of_afnetworking())
        case .alamofire: String(cString: ctraces_get_port_of_alamofire())
        }
    }

    /// The name of the recordings' file in `folder`.
    package var file: String {
        switch self {
        case .afnetworking: "lifecycle-traces.json"
        case .alamofire: "request-lifecycle.json"
        }
    }

    /// Relative to the package's folder.
    package static let folder = "Sources/Foundations/CTraces/Golden"
}
