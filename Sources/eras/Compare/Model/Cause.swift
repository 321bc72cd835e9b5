/// Whose doing it is that results or requests differ.
enum Cause: String, Codable, CaseIterable, Sendable {
    /// The later era was meant to be so.
    case design = "era's design"
    /// Foundation's URLSession for Linux, which does not do here what Apple's does, or was seen to
    /// do it on Linux alone.
    case foundation = "Foundation on Linux"
    /// The connection era of this package, which repairs what the original did.
    case repair = "this port's repair"

    /// For narrow columns.
    var word: String {
        switch self {
        case .design: "design"
        case .foundation: "Foundation"
        case .repair: "repair"
        }
    }
}

extension [Cause] {
    /// For tables; empty for none.
    var text: String { map(\.rawValue).joined(separator: ", ") }
}
