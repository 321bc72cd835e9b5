import Foundation
public import FoundationNetworking

extension URLRequest {
    /// The request that a curl command would send.
    ///
    /// Method, URL, header fields, body, login, cookies in the command and `--max-time` are read.
    /// Options that affect curl's output alone are ignored, and those for what a load decides
    /// itself, such as `-L` and `--http2`. What `curlCommand(showingSecrets:)` wrote with its
    /// secrets is read back, with `printf` too.
    ///
    /// A login in the URL is sent at once, as Basic. Of a browser's `Accept-Encoding` the codings
    /// that can be decoded here remain. `-H 'Accept:'` becomes an empty field, with which no Accept
    /// is sent.
    ///
    /// - Parameter curlCommand: one command, as it is typed into a shell, also over several lines.
    /// - Throws: `CurlCommandError` for a text that is no such command, or asks for more than a
    ///   request can express: no other option is dropped silently.
    public init(curlCommand: String) throws(CurlCommandError) {
        var reader = CurlCommandReader()
        self = try reader.read(ShellWords.split(curlCommand))
    }
}

private struct CurlCommandReader {
    private var method: String?
    private var isHead = false
    private var isGet = false
    private var fields: [(name: String, value: String)] = []
    private var removed: Set<String> = []
    private var pieces: [Data] = []
    private var isJSON = false
    private var address: String?
    private var timeout: TimeInterval?
    /// Output of the command before a pipe.
    private var input: Data?

    private static let passedOver: Set<String> = [
        "-s", "--silent", "-S", "--show-error", "-v", "--verbose", "-i", "--include", "-f",
        "--fail",
        "-L", "--location", "-#", "--progress-bar", "-N", "--no-buffer", "--compressed", "-g",
        "--globoff", "--path-as-is", "--fail-with-body", "-O", "--remote-name", "-J", "--http1.1",
        "--http2", "-j", "--no-progress-meter", "-R", "--remote-time",
    ]
    private static let passedOverWithValue: Set<String> = ["-o", "--output", "-w", "--write-out"]
    private static let ofConfiguration: Set<String> = [
        "-k", "--insecure", "-x", "--proxy", "--cacert", "--cert", "-E", "--key", "--resolve",
        "--unix-socket", "--connect-timeout", "--limit-rate", "--tlsv1.3", "--tlsv1.2", "-c",
        "--cookie-jar", "--digest", "--ntlm", "--negotiate", "--anyauth", "--retry", "-F", "--form",
        "-T", "--upload-file", "--post301", "--post302", "--max-redirs", "-n", "--netrc",
    ]

    mutating func read(_ words: [[UInt8]]) throws(CurlCommandError) -> URLRequest {
        var words = words[...]
        try readInput(&words)
        guard words.popFirst().map(Self.name) == "curl" else { throw CurlCommandError(.notCurl) }
        var takesOptions = true
        while let word = words.popFirst() {
            if takesOptions, word == Array("--".utf8) {
                takesOptions = false
            } else if takesOptions, word.first == UInt8(ascii: "-"), word.count > 1 {
                try readOption(word, &words)
            } else {
                try take(address: word)
            }
        }
        return try request()
    }

    private static func name(_ word: [UInt8]) -> String {
        let text = String(decoding: word, as: UTF8.self)
        return text.split(separator: "/").last.map(String.init) ?? text
    }

    /// `printf 'BYTES' |` before the command.
    private mutating func readInput(_ words: inout ArraySlice<[UInt8]>) throws(CurlCommandError) {
        guard words.first == Array("printf".utf8) else { return }
        guard words.count > 3, words[words.startIndex + 2] == [UInt8(ascii: "|")] else {
            throw CurlCommandError(.needsShell, "printf")
        }
        var rest = words[words.startIndex + 1][...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\") {
                var escape = ShellEscape(rest: rest)
                bytes += try escape.read()
                rest = escape.rest
            } else if byte == UInt8(ascii: "%") {
                guard rest.popFirst() == byte else { throw CurlCommandError(.needsShell, "%") }
                bytes.append(byte)
            } else {
                bytes.append(byte)
            }
        }
        input = Data(bytes)
        words = words.dropFirst(3)
    }

    /// One word of options: a long one, or short ones, the last of which may contain its value.
    private mutating func readOption(
        _ word: [UInt8], _ words: inout ArraySlice<[UInt8]>
    ) throws(CurlCommandError) {
        if word.starts(with: "--".utf8) {
            let text = String(decoding: word, as: UTF8.self)
            return try read(option: text) { words.popFirst() }
        }
        var rest = word.dropFirst()
        while let letter = rest.popFirst() {
            let name = "-" + String(UnicodeScalar(letter))
            try read(option: name) {
                guard rest.isEmpty else {
                    defer { rest = [] }
                    return Array(rest)
                }
                return words.popFirst()
            }
        }
    }

    private mutating func read(
        option: String, _ value: () -> [UInt8]?
    ) throws(CurlCommandError) {
        func bytes() throws(CurlCommandError) -> [UInt8] {
            guard let value = value() else { throw CurlCommandError(.badValue, option) }
            return value
        }
        func text() throws(CurlCommandError) -> String {
            guard let text = String(validating: try bytes(), as: UTF8.self) else {
                throw CurlCommandError(.badValue, option)
            }
            return text
        }
        switch option {
        case "-X", "--request": method = try text()
        case "-I", "--head": isHead = true
        case "-G", "--get": isGet = true
        case "-H", "--header": try take(field: try text(), option)
        case "-d", "--data", "--data-ascii", "--data-binary":
            try take(data: try bytes(), option, readsFiles: true)
        case "--data-raw": try take(data: try bytes(), option, readsFiles: false)
        case "--data-urlencode": try take(encoded: try text(), option)
        case "--json":
            isJSON = true
            try take(data: try bytes(), option, readsFiles: true)
        case "-u", "--user": take(login: try text())
        case "-b", "--cookie":
            let value = try text()
            guard value.contains("=") else { throw CurlCommandError(.readsFile, option) }
            fields.append(("Cookie", value))
        case "-A", "--user-agent": fields.append(("User-Agent", try text()))
        case "-e", "--referer": fields.append(("Referer", try text()))
        case "-m", "--max-time":
            guard let seconds = TimeInterval(try text()), seconds > 0 else {
                throw CurlCommandError(.badValue, option)
            }
            timeout = seconds
        case "--url": try take(address: try bytes())
        case _ where Self.passedOver.contains(option): break
        case _ where Self.passedOverWithValue.contains(option): _ = try bytes()
        case _ where Self.ofConfiguration.contains(option):
            throw CurlCommandError(.notOfARequest, option)
        default:
            // What follows the equals sign may be a secret.
            throw CurlCommandError(.unknownOption, String(option.prefix { $0 != "=" }))
        }
    }

    private mutating func take(address word: [UInt8]) throws(CurlCommandError) {
        guard address == nil, let text = String(validating: word, as: UTF8.self) else {
            throw CurlCommandError(.oneAddress)
        }
        // curl reads a URL without a scheme as http.
        address = text.contains("://") ? text : "http://" + text
    }

    /// `Name: value`, `Name;` for an empty value, `Name:` for none at all.
    private mutating func take(field: String, _ option: String) throws(CurlCommandError) {
        if field.hasPrefix("@") { throw CurlCommandError(.readsFile, option) }
        if let colon = field.firstIndex(of: ":") {
            let value = field[field.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            let name = String(field[..<colon])
            if value.isEmpty {
                removed.insert(name.lowercased())
            } else {
                fields.append((name, String(value)))
            }
        } else if field.hasSuffix(";") {
            fields.append((String(field.dropLast()), ""))
        } else {
            throw CurlCommandError(.badValue, option)
        }
    }

    private mutating func take(
        data: [UInt8], _ option: String, readsFiles: Bool
    ) throws(CurlCommandError) {
        guard readsFiles, data.first == UInt8(ascii: "@") else {
            pieces.append(Data(data))
            return
        }
        guard data == Array("@-".utf8), let input else {
            throw CurlCommandError(.readsFile, option)
        }
        pieces.append(input)
        self.input = nil
    }

    /// `--data-urlencode`: `content`, `=content` or `name=content`.
    private mutating func take(encoded text: String, _ option: String) throws(CurlCommandError) {
        let sign = text.firstIndex(of: "=")
        if sign == nil, text.contains("@") { throw CurlCommandError(.readsFile, option) }
        let name = sign.map { text[..<$0] } ?? ""
        let content = sign.map { text[text.index(after: $0)...] } ?? text[...]
        var allowed = CharacterSet()
        allowed.insert(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        let encoded = content.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        pieces.append(Data((name.isEmpty ? encoded : "\(name)=\(encoded)").utf8))
    }

    private mutating func take(login: String) {
        let whole = login.contains(":") ? login : login + ":"
        fields.append(("Authorization", AuthenticationOffer.basic(whole)))
    }

    // MARK: The request

    private func request() throws(CurlCommandError) -> URLRequest {
        if input != nil { throw CurlCommandError(.needsShell, "|") }
        guard let address else { throw CurlCommandError(.oneAddress) }
        let body = Data(pieces.joined(separator: isJSON ? [] : [UInt8(ascii: "&")]))
        let query = isGet && !pieces.isEmpty ? String(validating: body, as: UTF8.self) : nil
        guard let url = WrittenURL.url(Self.adding(query, to: address)),
            url.host?.isEmpty == false
        else { throw CurlCommandError(.badRequest, "the address") }
        var request = URLRequest(url: url)
        let hasBody = !pieces.isEmpty && !isGet
        request.httpMethod = method ?? (isHead ? "HEAD" : hasBody ? "POST" : "GET")
        guard RequestField.isToken(request.httpMethod ?? "") else {
            throw CurlCommandError(.badRequest, "the method")
        }
        if hasBody { request.httpBody = body }
        try set(fields: &request, hasBody: hasBody)
        if let timeout { request.timeoutInterval = timeout }
        return request
    }

    /// The query goes before the fragment, as in curl.
    private static func adding(_ query: String?, to address: String) -> String {
        guard let query else { return address }
        let head = address.prefix { $0 != "#" }
        return "\(head)\(head.contains("?") ? "&" : "?")\(query)\(address[head.endIndex...])"
    }

    private var asksForPart: Bool { fields.contains { $0.name.isSameField(as: "Range") } }

    /// The list that the transport sends by default.
    private var ownCodings: String { asksForPart ? "identity" : "gzip, deflate" }

    /// A browser's list without codings that cannot be decoded here; a list of nothing else stays.
    private func codings(_ list: String) -> String {
        let members = FieldValue.members(of: list)
        let names = members.map { member in
            FieldValue.trimmed(member.utf8.prefix { $0 != UInt8(ascii: ";") }).lowercased()
        }
        let decoded = ["gzip", "x-gzip", "deflate"]
        guard !asksForPart, names.contains(where: decoded.contains) else { return list }
        let kept = zip(members, names).filter { (decoded + ["identity", "*"]).contains($0.1) }
        return kept.count == members.count ? list : kept.map(\.0).joined(separator: ", ")
    }

    private func set(fields request: inout URLRequest, hasBody: Bool) throws(CurlCommandError) {
        for (name, value) in fields {
            if RequestField.objection(to: name, value) != nil {
                throw CurlCommandError(.badRequest, "a field")
            }
            // The transport writes these itself, also where the command's body came from elsewhere.
            if ["content-length", "transfer-encoding"].contains(name.lowercased()) { continue }
            let value = name.isSameField(as: "Accept-Encoding") ? codings(value) : value
            if name.isSameField(as: "Accept-Encoding"), value == ownCodings { continue }
            let known = request.value(forHTTPHeaderField: name)
            let separator = name.isSameField(as: "Cookie") ? "; " : ", "
            request.setValue(
                known.map { $0 + separator + value } ?? value, forHTTPHeaderField: name)
        }
        // An empty value suppresses a field that would be sent by default.
        for name in ["Accept", "Accept-Encoding"]
        where removed.contains(name.lowercased())
            && request.value(forHTTPHeaderField: name) == nil
        {
            request.setValue("", forHTTPHeaderField: name)
        }
        func give(_ name: String, _ value: String) {
            guard !removed.contains(name.lowercased()),
                request.value(forHTTPHeaderField: name) == nil
            else { return }
            request.setValue(value, forHTTPHeaderField: name)
        }
        if let login = request.url.flatMap(URLUserInfo.credential) {
            let pair = "\(login.user ?? ""):\(login.password ?? "")"
            give("Authorization", AuthenticationOffer.basic(pair))
        }
        if isJSON { give("Accept", "application/json") }
        if hasBody {
            give("Content-Type", isJSON ? "application/json" : "application/x-www-form-urlencoded")
        }
    }
}
