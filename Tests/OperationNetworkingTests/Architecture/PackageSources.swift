import Foundation
import Testing

/// The package's own sources, as text.
enum PackageSources {
    struct File: Sendable {
        /// From `Sources` on, for example `CurlConnection/Curl/CurlCode.swift`.
        let path: String
        let lines: [String]
        /// The lines without comments and string contents; as many.
        let code: [String]

        var name: String { String(path.split(separator: "/").last ?? "") }
        var codeText: String { code.joined(separator: "\n") }

        /// Lines of code, blank lines and comments not counted.
        var codeLineCount: Int {
            code.count { !$0.trimmingCharacters(in: .whitespaces).isEmpty }
        }

        var imports: [String] {
            codeText.matches(of: PackageSources.importLine).map { String($0.output.1) }
        }

        /// Whether a word is used, alone and not as a part of another.
        func names(_ word: String) -> Bool {
            code.contains { line in
                line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.contains { $0 == word }
            }
        }
    }

    nonisolated(unsafe) private static let importLine =
        /(?m)^ *(?:@\w+ )?(?:public |package |internal |private )?import (\w+)/
    nonisolated(unsafe) private static let topLevelType =
        /(?m)^(?:@\w+ )?(?:public |package |internal |open |final |indirect )*(?:class|struct|enum|protocol|actor|typealias) (\w+)/
    nonisolated(unsafe) private static let anyType =
        /(?m)^ *(?:\w+ )*(?:class|struct|enum|protocol|actor|typealias) (\w+)/

    /// The package's folder; symbolic links on the way are followed.
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static let all: [File] = files(under: "")

    static func files(under folder: String) -> [File] {
        let sources = root.appendingPathComponent("Sources").path
        let paths = FileManager.default.enumerator(atPath: sources)?.compactMap { $0 as? String }
        return (paths ?? []).sorted()
            .filter { $0.hasSuffix(".swift") && $0.hasPrefix(folder) }
            .compactMap { path in
                let text = try? String(contentsOfFile: sources + "/" + path, encoding: .utf8)
                return text.map { text in
                    let lines = text.components(separatedBy: "\n")
                    return File(path: path, lines: lines, code: stripped(lines))
                }
            }
    }

    /// Types declared at the top level, private ones left out.
    static func topLevelTypes(of files: [File]) -> [String] {
        files.flatMap { $0.codeText.matches(of: topLevelType).map { String($0.output.1) } }
    }

    /// Every declared type.
    static func types(of file: File) -> [String] {
        file.codeText.matches(of: anyType).map { String($0.output.1) }
    }

    /// Leaves out comments and what stands in string literals, so that only code is looked at.
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
        var result = ""
        var isInText = false
        var rest = Substring(line)
        while let next = rest.first {
            if isInText, next == "\\" {
                rest = rest.dropFirst(2)
                continue
            }
            if !isInText, rest.hasPrefix("//") { break }
            if next == "\"" { isInText.toggle() }
            if !isInText || next == "\"" { result.append(next) }
            rest = rest.dropFirst()
        }
        return result
    }
}
