/// An architecture: a scenario has one function in each.
enum Era: String, Codable, CaseIterable, Sendable {
    /// Operations on NSURLConnection's contract, as in AFNetworking 2.
    case connection
    /// A manager on a session's tasks, as in AFNetworking 4.
    case session
    /// Requests on a session's tasks, as in Alamofire 4.
    case request

    /// The name of the function that is written in it.
    var function: String { "\(rawValue)Era" }

    /// For tables and pages.
    var title: String { "\(rawValue) era" }
}
