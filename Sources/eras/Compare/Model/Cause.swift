/// The cause of different results or requests.
enum Cause: String, Codable, CaseIterable, Sendable {
    /// The design of the session era.
    case design = "era's design"
    /// Foundation's URLSession for Linux, which does not do here what Apple's does, or was seen to
    /// do it on Linux alone.
    case foundation = "Foundation on Linux"
    /// The connection era of this package, which repairs what the original did.
    case repair = "this port's repair"

    /// One word, for narrow columns.
    var word: String {
        switch self {
        case .design: "design"
        case .foundation: "Foundation"
        case .repair: "repair"
        }
    }
}

extension [Cause] {
    /// The causes as one text; empty for none.
    var text: String { map(\.rawValue).joined(separator: ", ") }
}
