/// The options of `eras fetch` that concern its requests and connections.
struct RequestOptions: Equatable {
    struct Field: Equatable {
        var name: String
        var value: String
    }

    var timeout = 60.0
    var connectTimeout: Double?
    /// Bytes a second for all files together.
    var rate: Int64?
    var fields: [Field] = []
    /// User and password, separated by a colon.
    var user: String?
    var netrc: String?
    /// Pairs of cookies, or paths of files with cookies.
    var cookies: [String] = []
    var cookieJar: String?
    var proxy: String?
    var usesProxyEnvironment = false
    /// The file of trusted authorities.
    var authorities: String?
    /// The file of the client's certificate, with its password after a colon.
    var certificate: String?
    var key: String?
}

extension ValueKind<RequestOptions.Field> {
    static var field: Self {
        let meaning = "a header field on one line, as \"Accept: text/plain\""
        return Self(meaning, refusal: { _ in meaning }) { text in
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex, isOneLine(text),
                !text[..<colon].contains(where: \.isWhitespace)
            else { return nil }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return RequestOptions.Field(name: String(text[..<colon]), value: String(value))
        }
    }

    /// The value of a given field.
    static func field(_ name: String, _ meaning: String) -> Self {
        let refusal = "\(meaning) on one line, without control characters"
        return Self(meaning, refusal: { _ in refusal }) { text in
            isOneLine(text) ? RequestOptions.Field(name: name, value: text) : nil
        }
    }

    private static func isOneLine(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
