import Foundation
import LoopbackServer

/// A named result of a scenario.
struct Outcome: Codable, Equatable, Sendable {
    var name: String
    /// The value as a text that does not vary between runs.
    var value: String

    init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A result as text.
enum OutcomeText {
    /// Dictionaries and lists are written as JSON with sorted keys, errors as domain and code, data
    /// as text; long data and data that is not text as its length and hash.
    static func text(of value: Any?) -> String {
        switch value {
        case nil: "nothing"
        case let text as String: text
        case let number as Int: String(number)
        case let number as Int64: String(number)
        case let flag as Bool: flag ? "yes" : "no"
        case let data as Data: text(of: data)
        case let error as any Error: text(of: error)
        case let value?: json(value) ?? "\(value)"
        }
    }

    /// The domain and the code, because descriptions differ between systems.
    static func text(of error: any Error) -> String {
        let error = error as NSError
        return "\(error.domain) \(error.code)"
    }

    private static func text(of data: Data) -> String {
        if data.count <= 100, let text = String(data: data, encoding: .utf8) { return text }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in data { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return "\(data.count) bytes, hash \(String(hash, radix: 16))"
    }

    private static func json(_ value: Any) -> String? {
        SortedJSON.data(of: value).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The requests of a scenario as a short text that does not depend on their order.
enum RequestTally {
    /// Such as `10 GET /get`; "none" without requests.
    static func text(_ requests: [RecordedRequest]) -> String {
        let kinds = Dictionary(grouping: requests) { "\($0.method) \($0.path)" }
        let words = kinds.keys.sorted().map { "\(kinds[$0]?.count ?? 0) \($0)" }
        return words.isEmpty ? "none" : words.joined(separator: ", ")
    }
}
