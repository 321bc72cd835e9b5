import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics

/// A request as a command of curl (AL-35).
struct CurlCommand {
    /// The request as it is sent; without a host there is no command.
    var request: URLRequest?
    /// What would answer a challenge of the host.
    var credentials: [URLCredential] = []
    /// The cookies that are sent with it.
    var cookies: [HTTPCookie] = []
    /// Fields of the session's configuration, which the request's own win over.
    var additionalHeaders: [AnyHashable: Any] = [:]

    /// The command for a shell: every word is in double quotes, as in the original, and a shell reads nothing
    /// in it.
    ///
    /// - Parameter showingSecrets: whether passwords, cookies and other secrets are in it. Without
    ///   them the text can go into a log.
    func text(showingSecrets: Bool = false) -> String {
        let shown: (String, (String) -> String) -> String = { showingSecrets ? $0 : $1($0) }
        return joined { request, url in
            var words: [String] = []
            words += users.map { user, password in
                "-u "
                    + ShellWords.doubleQuoted("\(user):\(shown(password) { _ in Redaction.mark })")
            }
            if !cookies.isEmpty {
                let value = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
                words.append(
                    "-b " + ShellWords.doubleQuoted(shown(value) { Self.field("Cookie", $0) }))
            }
            words += headers(request, ignoringCase: true).map { name, value in
                "-H " + ShellWords.doubleQuoted("\(name): \(shown(value) { Self.field(name, $0) })")
            }
            if let data = request.httpBody, let body = String(data: data, encoding: .utf8) {
                // curl takes "@name" after -d for the name of a file.
                let option = body.hasPrefix("@") ? "--data-raw " : "-d "
                let text = shown(body) { _ in ShownBody.text(data) ?? "" }
                words.append(option + ShellWords.doubleQuoted(text))
            }
            return words + [ShellWords.doubleQuoted(shown(url, Redaction.address))]
        } method: {
            Self.isWord($0) ? $0 : ShellWords.doubleQuoted($0)
        }
    }

    /// The original's text: in double quotes, with all secrets. A shell reads `$` and backslashes in
    /// it, so it must not be run.
    var originalText: String {
        joined { request, url in
            var words = users.map { "-u \($0):\($1)" }
            if !cookies.isEmpty {
                let value = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: ";")
                words.append("-b \"\(value)\"")
            }
            words += headers(request, ignoringCase: false).map { name, value in
                "-H \"\(name): \(value.replacingOccurrences(of: "\"", with: "\\\""))\""
            }
            if let data = request.httpBody, let body = String(data: data, encoding: .utf8) {
                let escaped = body.replacingOccurrences(of: "\\\"", with: "\\\\\"")
                    .replacingOccurrences(of: "\"", with: "\\\"")
                words.append("-d \"\(escaped)\"")
            }
            return words + ["\"\(url)\""]
        } method: {
            $0
        }
    }

    private func joined(
        _ words: (URLRequest, String) -> [String], method shown: (String) -> String
    ) -> String {
        guard let request, let url = request.url, let host = url.host, !host.isEmpty else {
            return "$ curl command could not be created"
        }
        var all = ["$ curl -v"]
        if let method = request.httpMethod, method != "GET" { all.append("-X \(shown(method))") }
        return (all + words(request, url.absoluteString)).joined(separator: " \\\n\t")
            .printableLines
    }

    private var users: [(String, String)] {
        credentials.compactMap { credential in
            credential.user.flatMap { user in credential.password.map { (user, $0) } }
        }
    }

    /// Sorted by name. Cookies are told with `-b`.
    ///
    /// - Parameter ignoringCase: whether `x-a` and `X-A` are one field, as they are when sent.
    private func headers(
        _ request: URLRequest, ignoringCase: Bool
    ) -> [(name: String, value: String)] {
        let own = (request.allHTTPHeaderFields ?? [:]).map { (name: $0, value: $1) }
        let names = Set(own.map { ignoringCase ? $0.name.lowercased() : $0.name })
        let additional = additionalHeaders.map { (name: "\($0)", value: "\($1)") }
            .filter { !names.contains(ignoringCase ? $0.name.lowercased() : $0.name) }
        return (own + additional)
            .filter { ignoringCase ? $0.name.lowercased() != "cookie" : $0.name != "Cookie" }
            .sorted { $0.name < $1.name }
    }

    private static func field(_ name: String, _ value: String) -> String {
        Redaction.fields([(name: name, value: value)]).map(\.value).joined(separator: ", ")
    }

    private static func isWord(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 && (Character(Unicode.Scalar($0)).isLetter || $0 == 0x2D) }
    }
}
