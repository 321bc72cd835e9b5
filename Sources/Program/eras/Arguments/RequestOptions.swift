/// The options of `eras fetch` that concern its requests and connections.
struct RequestOptions: Equatable {
    struct Field: Equatable {
        var name: String
        var value: String
    }

    /// Seconds without a byte after which a try fails.
    var timeout = 60.0
    var connectTimeout: Double?
    /// Bytes a second of one file.
    var rate: Int64?
    var fields: [Field] = []
    /// User and password, with a colon between.
    var user: String?
    /// The file of users and passwords.
    var netrc: String?
    /// Cookies as pairs, or files of them.
    var cookies: [String] = []
    /// The file that cookies are written to.
    var cookieJar: String?
    var proxy: String?
    /// Whether the environment's proxies are used.
    var usesProxyEnvironment = false
    /// The file of authorities.
    var authorities: String?
    /// The file of the client's certificate, and after a colon its password.
    var certificate: String?
    var key: String?

    /// - Returns: whether it is an option of these.
    mutating func take(
        _ name: String, _ reader: inout ArgumentReader
    ) throws(UsageError) -> Bool {
        switch name {
        case "--timeout": timeout = try reader.seconds()
        case "--connect-timeout": connectTimeout = try reader.seconds()
        case "--limit-rate": rate = try reader.size()
        case "-H", "--header": fields.append(try Self.field(&reader))
        case "-A", "--user-agent":
            fields.append(Field(name: "User-Agent", value: try Self.line("a name", name, &reader)))
        case "-e", "--referer":
            fields.append(Field(name: "Referer", value: try Self.line("an address", name, &reader)))
        case "-u", "--user": user = try reader.value("a user and a password, as me:secret")
        case "-n", "--netrc": netrc = "~/.netrc"
        case "--netrc-file": netrc = try reader.value("a file of users and passwords")
        case "-b", "--cookie": cookies.append(try reader.value("cookies, as a=1, or a file"))
        case "-c", "--cookie-jar": cookieJar = try reader.value("a file for the cookies")
        case "-x", "--proxy": proxy = try reader.value("a proxy, as http://host:8080")
        case "--proxy-env": usesProxyEnvironment = true
        case "--cacert": authorities = try reader.value("a file of certificates in PEM")
        case "-E", "--cert": certificate = try reader.value("a certificate's file, PEM or PKCS#12")
        case "--key": key = try reader.value("the file of the certificate's key")
        default: return false
        }
        return true
    }

    private static func field(_ reader: inout ArgumentReader) throws(UsageError) -> Field {
        let text = try reader.value("a header field, as \"Accept: text/plain\"")
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex, isOneLine(text),
            !text[..<colon].contains(where: \.isWhitespace)
        else {
            throw reader.usage("-H needs a header field on one line, as \"Accept: text/plain\".")
        }
        let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return Field(name: String(text[..<colon]), value: String(value))
    }

    private static func line(
        _ meaning: String, _ option: String, _ reader: inout ArgumentReader
    ) throws(UsageError) -> String {
        let text = try reader.value(meaning)
        guard isOneLine(text) else {
            throw reader.usage(
                "\(option) needs \(meaning) on one line, without control characters.")
        }
        return text
    }

    private static func isOneLine(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
