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
