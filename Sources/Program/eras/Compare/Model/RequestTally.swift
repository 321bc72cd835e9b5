import LoopbackServer

/// The requests of a scenario as a short text that does not depend on their order.
enum RequestTally {
    /// Such as `10 GET /get`; "none" without requests.
    static func text(_ requests: [RecordedRequest]) -> String {
        let kinds = Dictionary(grouping: requests) { "\($0.method) \($0.path)" }
        let words = kinds.keys.sorted().map { "\(kinds[$0]?.count ?? 0) \($0)" }
        return words.isEmpty ? "none" : words.joined(separator: ", ")
    }
}
