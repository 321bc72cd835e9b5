/// An architecture that scenarios run in. A scenario has a function for each of the first three, except those in its
/// `without`; some have one for the last.
///
/// The first three use the same transport, so they show what the architecture changes; the last shows
/// Foundation on Linux.
enum Column: String, Codable, CaseIterable, Sendable {
    /// Operations, each with a `URLConnection` and its delegate calls, as in AFNetworking 2.
    case connection
    /// A manager on a session's tasks, as in AFNetworking 4.
    case session
    /// Requests on a session's tasks, as in Alamofire 4.
    case request
    /// Foundation's `URLSession` by itself.
    case foundation

    /// The name of its function in a scenario.
    var function: String { "\(rawValue)Era" }

    /// The column with which this one is compared; nil for the first.
    var reference: Column? {
        switch self {
        case .connection: nil
        case .session, .request: .connection
        case .foundation: .session
        }
    }

    /// The possible causes of a difference from the reference.
    var causes: [Cause] {
        switch self {
        case .connection: []
        case .session, .request: [.design, .repair]
        case .foundation: [.foundation, .repair]
        }
    }

    /// Its name in tables and on pages.
    var title: String {
        switch self {
        case .connection, .session, .request: "\(rawValue) era"
        case .foundation: "URLSession of Foundation"
        }
    }

    /// A description of the architecture, in a few words.
    var summary: String {
        switch self {
        case .connection: "operations on one network thread"
        case .session: "a session manager on the network thread"
        case .request: "requests on the network thread"
        case .foundation: "Foundation's URLSession, by itself"
        }
    }
}

extension [Column] {
    /// The columns as one text; empty for none.
    var text: String { map(\.rawValue).joined(separator: ", ") }
}
