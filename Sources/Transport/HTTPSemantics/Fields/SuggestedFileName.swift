public import Foundation
public import FoundationNetworking

extension URLResponse {
    /// One harmless file name for the answer, never empty; Foundation's `suggestedFilename` made
    /// safe to use in a folder.
    ///
    /// It is the last path component of what `Content-Disposition` says (RFC 6266), `filename*`
    /// (RFC 8187, in UTF-8 or ISO 8859-1) before `filename`; else the URL's last path component;
    /// else `download`. It has no `/` and no `\`, no dot at its start and neither dot nor space at
    /// its end, `_` in place of control and bidirectional characters, and at most 255 bytes of
    /// UTF-8, with the extension kept and no character cut.
    ///
    /// Two answers can have one name: `moveDownload(at:into:)` gives each its own.
    public var safeSuggestedFilename: String {
        if let name = dispositionFileName { return name }
        let last = url?.path(percentEncoded: true).split(separator: "/").last.map(String.init)
        return last.flatMap { SuggestedFileName($0.removingPercentEncoding ?? $0)?.text }
            ?? "download"
    }

    /// The harmless name of `Content-Disposition` alone; nil where it names none.
    package var dispositionFileName: String? {
        let field = (self as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Disposition")
        let parameters = field.map(DispositionParameters.init)
        return [parameters?.extendedFileName, parameters?.fileName].lazy
            .compactMap { $0.flatMap { SuggestedFileName($0)?.text } }.first
    }

    /// Moves a finished download into a folder, as a new file with `safeSuggestedFilename`, and
    /// never replaces one that is there.
    ///
    /// Where the name is taken, by a link too, it becomes `name-2.txt`, `name-3.txt` and so on. Two
    /// downloads at the same moment get two files, since the file system decides.
    ///
    /// - Parameters:
    ///   - part: the file that was written; on the folder's file system, such as in the folder.
    ///   - folder: a folder that exists.
    /// - Returns: the file, right inside the folder.
    /// - Throws: `URLError.cannotCreateFile` or `URLError.cannotMoveFile` over the system's
    ///   `POSIXError`; the part then stays where it is.
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

/// Pure: one file name, harmless in any folder.
///
/// It looks at scalars, not characters: a dot with an accent over it still hides a file.
package struct SuggestedFileName: Hashable, Sendable {
    package let text: String
    private let limit: Int

    static let fallback = SuggestedFileName(text: "download", limit: 255)
    private static let mostTries = 10_000

    private init(text: String, limit: Int) {
        self.text = text
        self.limit = limit
    }

    /// What is harmless in a suggestion; nil when nothing is left.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of UTF-8; 255 is what file systems take.
    ///   - keepsDot: whether a dot at the start stays, for a name that a person gave.
    package init?(_ suggestion: String, limit: Int = 255, keepsDot: Bool = false) {
        let last = suggestion.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? [][...]
        var name = String.UnicodeScalarView()
        for scalar in last { name.append(Self.isHarmful(scalar) ? "_" : scalar) }
        let trimmed = Self.trimmed(name, keepsDot)
        guard !trimmed.isEmpty else { return nil }
        // A cut can end in what was trimmed.
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

    /// An empty file that was not there; its name has a number where the plain one is taken.
    package func createFile(in folder: URL) throws -> URL {
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
        var info: [String: Any] = [:]
        let reason = String(cString: strerror(system))
        info[NSLocalizedDescriptionKey] = "The download was not stored: \(reason)."
        info[NSUnderlyingErrorKey] = POSIXErrorCode(rawValue: system).map { POSIXError($0) }
        return URLError(code, described: info)
    }

    /// What moves a terminal's cursor or turns the order of letters; what joins letters stays.
    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }

    /// No dot that hides the file, unless that is wanted, none at the end, and no space around.
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

    /// As many whole characters as fit; where not even one does, as many scalars.
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

    /// The name and its ending with the dot, as far as the ending looks like one.
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
