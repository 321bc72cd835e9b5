import Foundation

/// A type as the original compares it: with case, without parameters, by its first and its last
/// piece between slashes.
struct MediaType: Equatable {
    let type: String
    let subtype: String

    init(_ text: String) {
        let bare = text.trimmingCharacters(in: .whitespacesAndNewlines)
            .prefix { $0 != ";" }
        let pieces = bare.split(separator: "/", omittingEmptySubsequences: false)
        type = pieces.first.map(String.init) ?? ""
        subtype = pieces.last.map(String.init) ?? ""
    }

    /// Whether it stands for all types.
    var isWildcard: Bool { type == "*" && subtype == "*" }

    /// Whether `other` is this type, or one of those that it stands for.
    func accepts(_ other: MediaType) -> Bool {
        (type == "*" || type == other.type) && (subtype == "*" || subtype == other.subtype)
    }
}
