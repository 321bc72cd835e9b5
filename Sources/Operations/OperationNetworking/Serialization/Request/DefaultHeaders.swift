import Foundation

/// The header fields that a new request serializer has.
enum DefaultHeaders {
    /// `Accept-Language` and `User-Agent` of this process.
    static let all = [
        "Accept-Language": acceptLanguage(Locale.preferredLanguages),
        "User-Agent": userAgent(
            program: ProcessInfo.processInfo.processName,
            version: info("CFBundleShortVersionString") ?? info("CFBundleVersion"),
            system: ProcessInfo.processInfo.operatingSystemVersionString),
    ]

    /// The first six languages, each with a quality value that is 0.1 lower than that of the one before.
    static func acceptLanguage(_ languages: [String]) -> String {
        zip(languages, ["1", "0.9", "0.8", "0.7", "0.6", "0.5"])
            .map { "\($0);q=\($1)" }
            .joined(separator: ", ")
    }

    /// `program/version (system)` in ASCII (RFC 9110 section 10.1.5), or `program (system)` if the version is not known.
    static func userAgent(program: String, version: String?, system: String) -> String {
        let product = [program, version].compactMap(\.self).map(token).filter { !$0.isEmpty }
        let name = product.isEmpty ? "unknown" : product.joined(separator: "/")
        return "\(name) (\(comment(system)))"
    }

    private static func info(_ key: String) -> String? {
        Bundle.main.infoDictionary?[key] as? String
    }

    /// Replaces each character that a token cannot have by a hyphen.
    private static func token(_ text: String) -> String {
        String(
            ascii(text).map { character in
                character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character)
                    ? character : "-"
            })
    }

    /// Removes what the text of a comment cannot have: backslashes, and parentheses that are not balanced.
    private static func comment(_ text: String) -> String {
        let plain = ascii(text).filter { $0 != "\\" }
        var depth = 0
        for character in plain where "()".contains(character) {
            depth += character == "(" ? 1 : -1
            if depth < 0 { break }
        }
        return depth == 0 ? plain : plain.filter { !"()".contains($0) }
    }

    private static func ascii(_ text: String) -> String {
        // Not transformed if it is ASCII already, because the transform is slow.
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let latin =
            isASCII
            ? nil
            : text.applyingTransform(
                StringTransform("Any-Latin; Latin-ASCII; [:^ASCII:] Remove"), reverse: false)
        return (latin ?? text).filter { $0.isASCII && (" "..."~").contains($0) }
    }
}
