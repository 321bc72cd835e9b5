/// The architecture in which a scenario runs.
enum Era: String, Codable, CaseIterable, Sendable {
    /// Operations on NSURLConnection's contract, as in AFNetworking 2.
    case connection
    /// A manager on Foundation's URLSession, as in AFNetworking 4.
    case session

    /// For tables and pages.
    var title: String { "\(rawValue) era" }
}
