import SessionTasks

/// An era on a transport: what is run, measured and shown by itself.
///
/// The columns with one transport show what an architecture changes, and those with one era what
/// Foundation on Linux changes.
enum Column: String, Codable, CaseIterable, Sendable {
    /// The connection era on `URLConnection`.
    case connection
    /// The session era on `URLConnection`.
    case session
    /// The request era on `URLConnection`.
    case request
    /// The session era on Foundation's `URLSession`.
    case foundation

    var era: Era {
        switch self {
        case .connection: .connection
        case .session, .foundation: .session
        case .request: .request
        }
    }

    /// What carries its requests.
    var transport: SessionTransport {
        switch self {
        case .connection, .session, .request: .connection
        case .foundation: .foundation
        }
    }

    /// The column with which this one is compared; nil for the first.
    ///
    /// It differs in one thing, the era or the transport.
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
        case .connection, .session, .request: era.title
        case .foundation: "\(era.title) on Foundation"
        }
    }

    /// What runs in it.
    var contents: String {
        switch self {
        case .connection: "operations on one network thread"
        case .session: "a session manager on the same thread"
        case .request: "requests on the same thread"
        case .foundation: "a session manager on Foundation's URLSession"
        }
    }
}

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
