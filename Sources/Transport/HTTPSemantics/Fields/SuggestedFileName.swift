public import Foundation
public import FoundationNetworking

extension URLResponse {
    /// A safe file name for the response, never empty: Foundation's `suggestedFilename`, safe to
    /// use in a folder.
    ///
    /// It is the last path component of the name in `Content-Disposition` (RFC 6266), `filename*`
    /// (RFC 8187, in UTF-8 or ISO 8859-1) before `filename`; else the URL's last path component;
    /// else `download`.
    ///
    /// It has no `/` and no `\`, no dot at its start and neither dot nor space at its end, and `_`
    /// in place of control and bidirectional characters. It has at most 255 bytes of UTF-8: the
    /// extension is kept, and no character is cut.
    ///
    /// Two responses can have the same name: `moveDownload(at:into:)` numbers the second file.
    public var safeSuggestedFilename: String {
        if let name = dispositionFileName { return name }
        let last = url?.path(percentEncoded: true).split(separator: "/").last.map(String.init)
        return last.flatMap { SuggestedFileName($0.removingPercentEncoding ?? $0)?.text }
            ?? "download"
    }

    /// The safe name from `Content-Disposition` alone; nil where it has none.
    package var dispositionFileName: String? {
        let field = (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Disposition")
        let parameters = field.map(DispositionParameters.init)
        return [parameters?.extendedFileName, parameters?.fileName].lazy
            .compactMap { $0.flatMap { SuggestedFileName($0)?.text } }.first
    }

    /// Moves a finished download into a folder as a new file named `safeSuggestedFilename`, and
    /// never replaces a file.
    ///
    /// Where the name is taken, by a link too, it becomes `name-2.txt`, `name-3.txt` and so on. Two
    /// downloads at the same moment get two files, since the file system decides.
    ///
    /// - Parameters:
    ///   - part: the file that was written; on the folder's file system, such as in the folder.
    ///   - folder: a folder that exists.
    /// - Returns: the file, directly inside the folder.
    /// - Throws: `URLError.cannotCreateFile` or `URLError.cannotMoveFile` with the system's
    ///   `POSIXError` underneath; the part then stays where it is.
    public func moveDownload(at part: URL, into folder: URL) throws -> URL {
        let name = SuggestedFileName(safeSuggestedFilename) ?? SuggestedFileName.fallback
        let file = try name.createFile(in: folder)
        guard rename(part.path, file.path) == 0 else {
            let code = errno
            unlink(file.path)
            throw SuggestedFileName.failure(.cannotMoveFile, code)
        }
        return file
    }
}

/// A file name that is safe in any folder.
///
/// Unicode scalars are checked, not characters: a dot with an accent over it still hides a file.
package struct SuggestedFileName: Hashable, Sendable {
    package let text: String
    private let limit: Int

    static let fallback = SuggestedFileName(text: "download", limit: 255)
    private static let mostTries = 10_000

    private init(text: String, limit: Int) {
        self.text = text
        self.limit = limit
    }

    /// The safe part of a suggestion; nil where nothing remains.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of UTF-8; 255 is what file systems take.
    ///   - keepsDot: whether a leading dot stays, for a name that a user chose.
    package init?(_ suggestion: String, limit: Int = 255, keepsDot: Bool = false) {
        let last = suggestion.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? [][...]
        var name = String.UnicodeScalarView()
        for scalar in last { name.append(Self.isHarmful(scalar) ? "_" : scalar) }
        let trimmed = Self.trimmed(name, keepsDot)
        guard !trimmed.isEmpty else { return nil }
        // The cut may end in a character to be trimmed.
        let short = Self.trimmed(Self.shortened(trimmed, to: limit).unicodeScalars, keepsDot)
        self.init(text: short, limit: limit)
    }

    /// `name.txt`, `name-2.txt`, `name-3.txt`.
    package func numbered(_ number: Int) -> String {
        guard number > 1 else { return text }
        let (stem, ending) = Self.split(text)
        let tail = "-\(number)" + ending
        return Self.prefix(of: stem, limit - tail.utf8.count) + tail
    }

    /// Creates an empty file; its name gets a number where the plain name is taken.
    func createFile(in folder: URL) throws -> URL {
        for number in 1...Self.mostTries {
            let file = folder.appendingPathComponent(numbered(number), isDirectory: false)
            let descriptor = open(file.path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666)
            if descriptor >= 0 {
                close(descriptor)
                return file
            }
            let code = errno
            if code != EEXIST { throw Self.failure(.cannotCreateFile, code) }
        }
        throw Self.failure(.cannotCreateFile, EEXIST)
    }

    package static func failure(_ code: URLError.Code, _ system: Int32) -> URLError {
        let reason = String(cString: strerror(system))
        return URLError(
            code, url: nil, text: "The download was not stored: \(reason).",
            underlying: POSIXErrorCode(rawValue: system).map { POSIXError($0) })
    }

    /// Moves a terminal's cursor or reorders text; joiners are allowed.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    /// Removes leading dots, unless they are wanted, trailing dots, and spaces at both ends.
    private static func trimmed(_ name: String.UnicodeScalarView, _ keepsDot: Bool) -> String {
        let isEdge = { (scalar: Unicode.Scalar) in
            scalar == "." || scalar.properties.isWhitespace
        }
        var rest = keepsDot ? name.drop { $0.properties.isWhitespace } : name.drop(while: isEdge)
        while let last = rest.last, isEdge(last) { rest.removeLast() }
        return String(rest)
    }

    private static func shortened(_ name: String, to limit: Int) -> String {
        guard name.utf8.count > limit else { return name }
        let (stem, ending) = split(name)
        return prefix(of: stem, limit - ending.utf8.count) + ending
    }

    /// As many whole characters as fit; where not even one fits, as many scalars.
    private static func prefix(of text: String, _ limit: Int) -> String {
        var kept = ""
        for character in text {
            guard kept.utf8.count + character.utf8.count <= limit else { break }
            kept.append(character)
        }
        if !kept.isEmpty { return kept }
        var scalars = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars {
            count += scalar.utf8.count
            if count > limit { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    /// The name and its extension with the dot, where that looks like one.
    private static func split(_ name: String) -> (stem: String, ending: String) {
        let scalars = name.unicodeScalars
        guard let dot = scalars.lastIndex(of: "."), dot != scalars.startIndex else {
            return (name, "")
        }
        let ending = String(scalars[dot...])
        guard ending.utf8.count <= 16 else { return (name, "") }
        return (String(scalars[..<dot]), ending)
    }
}

/// The parameters of a `Content-Disposition` field (RFC 6266 section 4.1).
struct DispositionParameters {
    private var values: [String: String] = [:]

    /// The first parameter of each name counts; what is no parameter is skipped.
    init(_ field: String) {
        for part in Self.parts(of: field) {
            guard let equals = part.firstIndex(of: "=") else { continue }
            let name = Self.text(part[..<equals]).lowercased()
            if values[name] == nil {
                values[name] = Self.unquoted(Self.text(part[part.index(after: equals)...]))
            }
        }
    }

    var fileName: String? { values["filename"] }

    /// `charset'language'percent-encoded`; nil where it is malformed, so that `filename` is used.
    var extendedFileName: String? {
        guard let value = values["filename*"] else { return nil }
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return parts[2].removingPercentEncoding
        case "iso-8859-1":
            return URLEscape.decoded(parts[2].utf8)
                .flatMap { String(bytes: $0, encoding: .isoLatin1) }
        default: return nil
        }
    }

    /// The parts between semicolons that are not in quotes.
    private static func parts(of field: String) -> [String.UnicodeScalarView.SubSequence] {
        var isQuoted = false
        var isEscaped = false
        return field.unicodeScalars.split(omittingEmptySubsequences: true) { scalar in
            if isEscaped {
                isEscaped = false
            } else if scalar == "\"" {
                isQuoted.toggle()
            } else if scalar == "\\" {
                isEscaped = isQuoted
            }
            return scalar == ";" && !isQuoted
        }
    }

    private static func text(_ part: String.UnicodeScalarView.SubSequence) -> String {
        String(part).trimmingCharacters(in: .whitespaces)
    }

    /// Without its quotes. Only `\"` and `\\` are escapes: servers send Windows paths unescaped.
    private static func unquoted(_ value: String) -> String {
        let scalars = value.unicodeScalars
        guard scalars.first == "\"" else { return value }
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in scalars.dropFirst() {
            if isEscaped {
                if scalar != "\"" && scalar != "\\" { result.append("\\") }
                result.append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "\"" {
                break
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
