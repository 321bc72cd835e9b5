/// An architecture: what is run, measured and shown by itself. A scenario has one function in each.
///
/// The first three run on one transport and show what an architecture changes; the last shows what Foundation on Linux
/// does.
enum Column: String, Codable, CaseIterable, Sendable {
    /// Operations on NSURLConnection's contract, as in AFNetworking 2.
    case connection
    /// A manager on a session's tasks, as in AFNetworking 4.
    case session
    /// Requests on a session's tasks, as in Alamofire 4.
    case request
    /// Foundation's `URLSession` by itself.
    case foundation

    /// The name of the function that is written in it.
    var function: String { "\(rawValue)Era" }

    /// The column with which this one is compared; nil for the first.
    var reference: Column? {
        switch self {
        case .connection: nil
        case .session, .request: .connection
        case .foundation: .session
        }
    }

    /// What a difference from the reference can be due to.
    var causes: [Cause] {
        switch self {
        case .connection: []
        case .session, .request: [.design, .repair]
        case .foundation: [.foundation, .repair]
        }
    }

    /// For tables and pages.
    var title: String {
        switch self {
        case .connection, .session, .request: "\(rawValue) era"
        case .foundation: "URLSession of Foundation"
        }
    }

    /// What runs in it.
    var contents: String {
        switch self {
        case .connection: "operations on one network thread"
        case .session: "a session manager on the same thread"
        case .request: "requests on the same thread"
        case .foundation: "Foundation's URLSession, by itself"
        }
    }
}
