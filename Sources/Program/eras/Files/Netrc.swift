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
    }

    /// Reads the format of ftp, curl and wget; `macdef` with its lines and `account` are ignored.
    ///
    /// - Throws: `NetrcError` for a keyword without its value, or a quote that does not end: the words of the next
    ///   entry would count as this host's.
    init(_ text: String) throws(NetrcError) {
        var words = try Self.words(text)[...]
        var host: String?
        var isDefault = false
        var login = Login()
        func save(_ list: inout Netrc) {
            if let host { list.machines[host, default: []].append(login) }
            if isDefault { list.standard = list.standard ?? login }
        }
        while let word = words.popFirst() {
            switch word.text {
            case "machine", "default":
                save(&self)
                host = nil
                if word.text == "machine" {
                    host = try Self.value(of: word, &words).lowercased()
                }
                isDefault = word.text == "default"
                login = Login()
            case "login": login.user = try Self.value(of: word, &words)
            case "password": login.password = try Self.value(of: word, &words)
            case "account": _ = try Self.value(of: word, &words)
            default: break
            }
        }
        save(&self)
    }

    /// The word after a keyword. One that begins an entry, or a keyword on another line, is no value without quotes.
    private static func value(
        of keyword: Word, _ words: inout ArraySlice<Word>
    ) throws(NetrcError) -> String {
        guard let value = words.popFirst() else { throw NetrcError(line: keyword.line) }
        let isOnOtherLine = value.line != keyword.line
        let isKeyword =
            beginnings.contains(value.text) || isOnOtherLine && withValues.contains(value.text)
        if isKeyword, !value.isQuoted { throw NetrcError(line: keyword.line) }
        return value.text
    }

    private static let beginnings: Set = ["machine", "default", "macdef"]
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
                        word.append(sign == "\\" ? rest.popFirst() ?? sign : sign)
                    }
                    guard rest.popFirst() != nil else { throw NetrcError(line: index + 1) }
                } else {
                    word = String(rest.prefix { !$0.isWhitespace })
                    rest = rest.dropFirst(word.count)
                }
                rest = rest.drop(while: \.isWhitespace)
                if word == "macdef", !isQuoted, !needsValue {
                    isMacro = true
                    break
                }
                words.append(Word(text: word, line: index + 1, isQuoted: isQuoted))
                needsValue = !needsValue && withValues.contains(word)
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
