import Foundation

/// The initial header fields of a serializer.
enum DefaultHeaders {
    /// `Accept-Language` and `User-Agent` of this process.
    static let all = [
        "Accept-Language": acceptLanguage(Locale.preferredLanguages),
        "User-Agent": userAgent(
            program: ProcessInfo.processInfo.processName,
            version: info("CFBundleShortVersionString") ?? info("CFBundleVersion"),
            system: ProcessInfo.processInfo.operatingSystemVersionString),
    ]

    /// At most six languages, each with a weight 0.1 lower than the one before.
    static func acceptLanguage(_ languages: [String]) -> String {
        zip(languages, ["1", "0.9", "0.8", "0.7", "0.6", "0.5"])
            .map { "\($0);q=\($1)" }
            .joined(separator: ", ")
    }

    /// `program/version (system)` in ASCII (RFC 9110 section 10.1.5), without the version if there is none.
    static func userAgent(program: String, version: String?, system: String) -> String {
        let product = [program, version].compactMap(\.self).map(token).filter { !$0.isEmpty }
        let name = product.isEmpty ? "unknown" : product.joined(separator: "/")
        return "\(name) (\(comment(system)))"
    }

    private static func info(_ key: String) -> String? {
        Bundle.main.infoDictionary?[key] as? String
    }

    private static func token(_ text: String) -> String {
        String(
            ascii(text).map { character in
                character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character)
                    ? character : "-"
            })
    }

    /// The text of a comment in parentheses, in which parentheses must be balanced.
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
        // The transform is slow, and most names are ASCII.
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let latin =
            isASCII
            ? nil
            : text.applyingTransform(
                StringTransform("Any-Latin; Latin-ASCII; [:^ASCII:] Remove"), reverse: false)
        return (latin ?? text).filter { $0.isASCII && (" "..."~").contains($0) }
    }
}
