/// Which way of networking a scenario is run in.
enum Era: String, Codable, CaseIterable, Sendable {
    /// Operations on NSURLConnection's contract, as AFNetworking 2 had them.
    case connection
    /// A manager on Foundation's URLSession, as AFNetworking 4 had it.
    case session

    /// For tables and pages.
    var title: String { "\(rawValue) era" }
}
