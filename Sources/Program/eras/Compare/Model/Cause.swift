/// Whose doing a change is.
enum Cause: String, Codable, CaseIterable, Sendable {
    /// The design of the later era.
    case design = "era's design"
    /// Foundation's URLSession for Linux, which does not do here what Apple's does, or was seen to
    /// do it on Linux alone.
    case foundation = "Foundation on Linux"
    /// This package, which does not do what the original did.
    case repair = "this port's repair"

    /// One word, for narrow columns.
    var word: String {
        switch self {
        case .design: "design"
        case .foundation: "Foundation"
        case .repair: "repair"
        }
    }

    /// Over a list of the changes that are its doing.
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
