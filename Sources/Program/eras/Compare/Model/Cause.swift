/// The cause of a change.
enum Cause: String, Codable, CaseIterable, Sendable {
    /// The design of the later era.
    case design = "era's design"
    /// Foundation's URLSession for Linux, which behaves differently from Apple's, or whose behaviour
    /// was observed on Linux alone.
    case foundation = "Foundation on Linux"
    /// This package, which differs from the original on purpose.
    case repair = "this port's repair"

    /// One word, for narrow columns.
    var word: String {
        switch self {
        case .design: "design"
        case .foundation: "Foundation"
        case .repair: "repair"
        }
    }

    /// The heading of a list of the changes with this cause.
    var heading: String {
        switch self {
        case .design: "What changed, and why"
        case .foundation: "What Foundation on Linux does"
        case .repair: "What this port repairs"
        }
    }
}

extension [Cause] {
    /// The causes as one text; empty for none.
    var text: String { map(\.rawValue).joined(separator: ", ") }
}
