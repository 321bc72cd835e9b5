import Foundation

/// The users and passwords of a `.netrc` file, by host; a host may have several.
struct Netrc: Equatable {
    struct Login: Equatable {
        var user = ""
        var password = ""
    }

    private var machines: [String: [Login]] = [:]
    private var standard: Login?

    private struct Word {
        let text: String
        let line: Int
        let isQuoted: Bool
        /// In small letters, as keywords and hosts are compared.
        let key: String
    }

    /// The characters for which a letter after a backslash stands; any other stands for itself.
    private static let escapes: [Character: Character] = ["n": "\n", "r": "\r", "t": "\t"]

    /// Reads the format of ftp, curl and wget; `macdef` with its lines and `account` are ignored.
    ///
    /// - Throws: `NetrcError` for a keyword without its value, or a quote that does not end: the words of the next
    ///   entry would count as this host's.
    init(_ text: String) throws(NetrcError) {
        var words = try Self.words(text)[...]
        var host: String?
        var isDefault = false
        var login = Login()
        var seen: Set<String> = []
        /// Whether a value of the entry may begin the default one instead.
        var isDoubtful = false
        func save(_ list: inout Netrc) {
            if let host { list.machines[host, default: []].append(login) }
            if isDefault { list.standard = list.standard ?? login }
        }
        while let word = words.popFirst() {
            switch word.key {
            case "machine", "default":
                save(&self)
                host = nil
                if word.key == "machine" {
                    host = try Self.value(of: word, &words).key
                }
                isDefault = word.key == "default"
                login = Login()
                (seen, isDoubtful) = ([], false)
            case "login", "password", "account":
                let value = try Self.value(of: word, &words)
                // A second one may then be the default entry's.
                let isSecond = !seen.insert(word.key).inserted
                if isSecond, isDoubtful { throw NetrcError(line: word.line) }
                isDoubtful = isDoubtful || value.key == "default" && !value.isQuoted
                if word.key == "login" { login.user = value.text }
                if word.key == "password" { login.password = value.text }
            default: break
            }
        }
        save(&self)
    }

    /// The word after a keyword. `machine` on its line, or any keyword on another line, is no value without quotes.
    private static func value(
        of keyword: Word, _ words: inout ArraySlice<Word>
    ) throws(NetrcError) -> Word {
        guard let value = words.popFirst() else { throw NetrcError(line: keyword.line) }
        let isKeyword =
            value.line == keyword.line ? value.key == "machine" : keywords.contains(value.key)
        if isKeyword, !value.isQuoted { throw NetrcError(line: keyword.line) }
        return value
    }

    private static let keywords = withValues.union(["default", "macdef"])
    private static let withValues: Set = ["machine", "login", "password", "account"]

    /// The first login of a host, or of a user of that host; else the default one, if the user fits.
    func login(for host: String, user: String? = nil) -> Login? {
        let known = machines[host.lowercased()] ?? []
        guard let user else { return known.first ?? standard }
        return (known + [standard].compactMap { $0 }).first { $0.user == user }
    }

    /// The words of the file, without comments and macros; a word in quotes may contain blanks. Where a value is
    /// expected, `#` begins a comment only at the start of a line.
    private static func words(_ text: String) throws(NetrcError) -> [Word] {
        var words: [Word] = []
        var isMacro = false
        var needsValue = false
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            if isMacro {
                isMacro = !line.allSatisfy(\.isWhitespace)
                continue
            }
            var rest = line.drop(while: \.isWhitespace)
            var isStart = true
            while let first = rest.first, first != "#" || needsValue && !isStart {
                var word = ""
                let isQuoted = first == "\""
                if isQuoted {
                    rest = rest.dropFirst()
                    while let sign = rest.first, sign != "\"" {
                        rest = rest.dropFirst()
                        guard sign == "\\", let next = rest.popFirst() else {
                            word.append(sign)
                            continue
                        }
                        word.append(escapes[next] ?? next)
                    }
                    guard rest.popFirst() != nil else { throw NetrcError(line: index + 1) }
                } else {
                    word = String(rest.prefix { !$0.isWhitespace })
                    rest = rest.dropFirst(word.count)
                }
                rest = rest.drop(while: \.isWhitespace)
                let key = word.lowercased()
                if key == "macdef", !isQuoted, !needsValue {
                    isMacro = true
                    break
                }
                words.append(Word(text: word, line: index + 1, isQuoted: isQuoted, key: key))
                needsValue = !needsValue && withValues.contains(key)
                isStart = false
            }
        }
        return words
    }
}

/// A line of a netrc file whose keyword has no value, or whose quote does not end.
struct NetrcError: Error, Equatable {
    var line: Int
}
