/// A URL of the arguments or of a list, with what the list says of its file.
struct ListedURL: Hashable {
    var text: String
    /// The folder of the file, below the output directory; nil for that itself.
    var folder: String?
    /// The file's name; nil for that of the URL.
    var name: String?

    private static let blanks: [UInt8] = [0x20, 0x09, 0x0D]

    /// The URLs of a list, one a line. Blank lines are left out, and comments: lines that begin with #,
    /// and what follows a blank and a #. As in aria2's lists, an indented line `out=NAME` or `dir=FOLDER`
    /// belongs to the URL above it.
    ///
    /// - Throws: `ListLineError` for another such line, and for a folder or name that leads out of the directory.
    static func all(inList text: String) throws(ListLineError) -> [ListedURL] {
        var all: [ListedURL] = []
        // As bytes: for Swift CR LF is one character, and a byte order mark is part of a character.
        for line in text.utf8.split(whereSeparator: { $0 == 0x0A }) {
            let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
            let whole = line.starts(with: mark) ? line.dropFirst(mark.count) : line
            guard let text = content(of: whole) else { continue }
            if let first = whole.first, blanks.contains(first), !all.isEmpty,
                let option = text.wholeMatch(of: /([a-z0-9-]+)=(.*)/)
            {
                try all[all.count - 1].set(String(option.1), String(option.2))
            } else {
                all.append(ListedURL(text: text))
            }
        }
        return all
    }

    /// A line without blanks at its ends and without its comment; nil where nothing is left.
    private static func content(of line: Substring.UTF8View) -> String? {
        var rest = line.drop { blanks.contains($0) }
        guard rest.first != UInt8(ascii: "#") else { return nil }
        let note = zip(rest.indices, rest.dropFirst()).first { index, next in
            blanks.contains(rest[index]) && next == UInt8(ascii: "#")
        }
        if let note { rest = rest[..<note.0] }
        guard let end = rest.lastIndex(where: { !blanks.contains($0) }) else { return nil }
        return String(Substring(rest[...end]))
    }

    private mutating func set(_ option: String, _ value: String) throws(ListLineError) {
        let parts = value.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let isInside =
            !value.isEmpty && value.utf8.count <= 4_095
            && parts.allSatisfy { part in
                part != ".." && FileNames.harmless(part) == (part == "." ? nil : part)
            }
        let problem: String
        switch option {
        case "out" where isInside && parts.count == 1 && value != ".": return name = value
        case "dir" where isInside:
            let names = parts.filter { $0 != "." }
            return folder = names.isEmpty ? nil : names.joined(separator: "/")
        case "out": problem = "needs a file's name, without /"
        case "dir": problem = "needs a folder below the directory of -o"
        default: problem = "is unknown; a list may have out= and dir="
        }
        throw ListLineError(
            description: "\(Padding.cut("\(option)=\(value)", 60)), below "
                + "\(Padding.cut(ShownURL.text(text), 200)), \(problem).")
    }

    /// The lines of a list with this URL.
    var lines: String {
        let options = [folder.map { "dir=\($0)" }, name.map { "out=\($0)" }]
        return text + "\n" + options.compactMap { $0 }.map { "  \($0)\n" }.joined()
    }
}

/// A line of a list that cannot be used, and why.
struct ListLineError: Error, Equatable, CustomStringConvertible {
    var description: String
}

/// Where a list of URLs is.
enum URLSource: Equatable {
    case file(String)
    case standardInput
    /// A list on a server.
    case address(String)
}
