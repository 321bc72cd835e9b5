import Foundation

/// The package's own sources, as text.
enum PackageSources {
    struct File: Sendable {
        /// From `Sources` on, for example `CurlConnection/Curl/CurlCode.swift`.
        let path: String
        let lines: [String]
        /// The lines without comments and without what stands in texts; as many.
        let code: [String]
        /// The words of each line of code.
        let words: [[String]]
        /// Every word there is.
        let vocabulary: Set<String>

        init(path: String, text: String) {
            self.path = path
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            code = PackageSources.stripped(lines)
            words = code.map(PackageSources.words)
            vocabulary = Set(words.joined())
        }

        /// Lines of code, blank lines and comments not counted.
        var codeLineCount: Int {
            code.count { !$0.utf8.allSatisfy { $0 == UInt8(ascii: " ") } }
        }

        /// The modules it imports.
        var imports: [String] {
            words.compactMap { PackageSources.word(after: ["import"], in: $0) }
        }

        /// Whether a word is used, alone and not as a part of another.
        func names(_ word: String) -> Bool { vocabulary.contains(word) }

        /// Every type it declares.
        var types: [String] {
            words.compactMap { PackageSources.word(after: PackageSources.kinds, in: $0) }
        }

        /// Types it declares at the top level, private ones left out.
        var topLevelTypes: [String] {
            zip(code, words).compactMap { line, words in
                let isTop = line.utf8.first.map { $0 != UInt8(ascii: " ") } ?? false
                if !isTop || words.first == "private" || words.first == "fileprivate" {
                    return nil
                }
                return PackageSources.word(after: PackageSources.kinds, in: words)
            }
        }
    }

    private static let kinds: Set = [
        "class", "struct", "enum", "protocol", "actor", "typealias",
    ]
    private static let modifiers: Set = [
        "public", "package", "internal", "private", "fileprivate", "open", "final", "indirect",
        "preconcurrency", "testable", "unchecked",
    ]

    /// The package's folder; symbolic links on the way are followed.
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let all: [File] = {
        let sources = root.appendingPathComponent("Sources").path
        let paths = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String }
        return (paths ?? []).filter { $0.hasSuffix(".swift") }.sorted().compactMap { path in
            let text = try? String(contentsOfFile: sources + "/" + path, encoding: .utf8)
            return text.map { File(path: path, text: $0) }
        }
    }()

    /// The word behind a keyword, when only modifiers stand before that.
    private static func word(after keywords: Set<String>, in words: [String]) -> String? {
        guard let index = words.firstIndex(where: keywords.contains), index + 1 < words.count,
            words[..<index].allSatisfy(modifiers.contains)
        else { return nil }
        return words[index + 1]
    }

    static func words(of line: String) -> [String] {
        line.utf8.split { !isWordByte($0) }.map { String(Substring($0)) }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    /// Leaves out comments and texts, so that only code is looked at.
    static func stripped(_ lines: [String]) -> [String] {
        var isInText = false
        return lines.map { line in
            if line.contains("\"\"\"") {
                isInText.toggle()
                return ""
            }
            return isInText ? "" : stripped(line)
        }
    }

    static func stripped(_ line: String) -> String {
        let (quote, escape, slash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"))
        let bytes = Array(line.utf8)
        var result: [UInt8] = []
        var isInText = false
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if isInText, byte == escape {
                index += 2
                continue
            }
            if !isInText, byte == slash, index + 1 < bytes.count, bytes[index + 1] == slash {
                break
            }
            if byte == quote { isInText.toggle() }
            if !isInText || byte == quote { result.append(byte) }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }
}
