/// An era on a transport: what is run, measured and shown by itself.
///
/// The columns with one transport show what an architecture changes, and those with one era what
/// Foundation on Linux changes.
enum Column: String, Codable, CaseIterable, Sendable {
    /// The connection era on `URLConnection`.
    case connection
    /// The session era on Foundation's `URLSession`.
    case foundation

    var era: Era {
        switch self {
        case .connection: .connection
        case .foundation: .session
        }
    }

    /// The column with which this one is compared; nil for the first.
    var reference: Column? {
        switch self {
        case .connection: nil
        case .foundation: .connection
        }
    }

    /// What a difference from the reference can be due to.
    var causes: [Cause] {
        switch self {
        case .connection: []
        case .foundation: Cause.allCases
        }
    }

    /// For tables and pages.
    var title: String {
        switch self {
        case .connection: era.title
        case .foundation: "\(era.title) on Foundation"
        }
    }

    /// What runs in it.
    var contents: String {
        switch self {
        case .connection: "operations on one network thread"
        case .foundation: "a session manager on Foundation's URLSession"
        }
    }
}
