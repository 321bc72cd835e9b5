import Foundation

/// The users and passwords of a `.netrc` file, by host; a host may have several.
struct Netrc: Equatable {
    struct Login: Equatable {
        var user = ""
        var password = ""
    }

    private var machines: [String: [Login]] = [:]
    private var standard: Login?

    /// Reads the format of ftp, curl and wget; `macdef` with its lines and `account` are ignored.
    init(_ text: String) {
        var words = Self.words(text)[...]
        var host: String?
        var isDefault = false
        var login = Login()
        func save(_ list: inout Netrc) {
            if let host { list.machines[host, default: []].append(login) }
            if isDefault { list.standard = list.standard ?? login }
        }
        while let word = words.popFirst() {
            switch word {
            case "machine", "default":
                save(&self)
                host = word == "machine" ? words.popFirst()?.lowercased() : nil
                isDefault = word == "default"
                login = Login()
            case "login": login.user = words.popFirst() ?? ""
            case "password": login.password = words.popFirst() ?? ""
            case "account": _ = words.popFirst()
            default: break
            }
        }
        save(&self)
    }

    /// The first login of a host, or of a user of that host; else the default one, if the user fits.
    func login(for host: String, user: String? = nil) -> Login? {
        let known = machines[host.lowercased()] ?? []
        guard let user else { return known.first ?? standard }
        return (known + [standard].compactMap { $0 }).first { $0.user == user }
    }

    /// The words of the file, without comments and macros; a word in quotes may contain blanks.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var isMacro = false
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if isMacro {
                isMacro = !line.allSatisfy(\.isWhitespace)
                continue
            }
            var rest = line.drop(while: \.isWhitespace)
            while let first = rest.first, first != "#" {
                var word = ""
                if first == "\"" {
                    rest = rest.dropFirst()
                    while let sign = rest.popFirst(), sign != "\"" {
                        word.append(sign == "\\" ? rest.popFirst() ?? sign : sign)
                    }
                } else {
                    word = String(rest.prefix { !$0.isWhitespace })
                    rest = rest.dropFirst(word.count)
                }
                rest = rest.drop(while: \.isWhitespace)
                if word == "macdef" {
                    isMacro = true
                    break
                }
                words.append(word)
            }
        }
        return words
    }
}
