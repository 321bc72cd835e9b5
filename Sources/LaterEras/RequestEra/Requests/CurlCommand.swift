import EventRecorder
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking
import SessionTasks

/// A request as a command of curl.
struct CurlCommand {
    /// The request as it is sent; without a host there is no command.
    var request: URLRequest?
    /// What would answer a challenge of the host.
    var credentials: [URLCredential] = []
    var cookies: [HTTPCookie] = []
    /// Fields of the session's configuration; the request's own take precedence.
    var additionalHeaders: [AnyHashable: Any] = [:]

    /// The command for a shell: all values are in double quotes, as in the original, and a shell
    /// expands nothing in them.
    ///
    /// - Parameter showingSecrets: whether passwords, cookies and other secrets are in it. Without
    ///   them the text can go into a log.
    func text(showingSecrets: Bool = false) -> String {
        guard let request, let url = request.url, let host = url.host, !host.isEmpty else {
            return "$ curl command could not be created"
        }
        let shown: (String, (String) -> String) -> String = { showingSecrets ? $0 : $1($0) }
        var words = ["$ curl -v"]
        if let method = request.httpMethod, method != "GET" {
            words.append("-X " + (Self.isWord(method) ? method : ShellWords.doubleQuoted(method)))
        }
        words += users.map { user, password in
            "-u " + ShellWords.doubleQuoted("\(user):\(shown(password) { _ in Redaction.mark })")
        }
        if !cookies.isEmpty {
            let value = cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            words.append(
                "-b " + ShellWords.doubleQuoted(shown(value) { Self.field("Cookie", $0) }))
        }
        words += headers(request).map { name, value in
            "-H " + ShellWords.doubleQuoted("\(name): \(shown(value) { Self.field(name, $0) })")
        }
        if let data = request.httpBody, let body = String(data: data, encoding: .utf8) {
            // curl takes "@name" after -d for the name of a file.
            let option = body.hasPrefix("@") ? "--data-raw " : "-d "
            let text = shown(body) { _ in ShownBody.text(data) ?? "" }
            words.append(option + ShellWords.doubleQuoted(text))
        }
        words.append(ShellWords.doubleQuoted(shown(url.absoluteString, Redaction.address)))
        return words.joined(separator: " \\\n\t").printableLines
    }

    private var users: [(String, String)] {
        credentials.compactMap { credential in
            credential.user.flatMap { user in credential.password.map { (user, $0) } }
        }
    }

    /// Sorted by name; names in another case are one field, as they are when sent. Cookies are
    /// written with `-b`.
    private func headers(_ request: URLRequest) -> [(name: String, value: String)] {
        let own = (request.allHTTPHeaderFields ?? [:]).map { (name: $0, value: $1) }
        let names = Set(own.map { $0.name.lowercased() })
        let additional = additionalHeaders.map { (name: "\($0)", value: "\($1)") }
            .filter { !names.contains($0.name.lowercased()) }
        return (own + additional).filter { $0.name.lowercased() != "cookie" }
            .sorted { $0.name < $1.name }
    }

    private static func field(_ name: String, _ value: String) -> String {
        Redaction.fields([(name: name, value: value)]).map(\.value).joined(separator: ", ")
    }

    private static func isWord(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 && (Character(Unicode.Scalar($0)).isLetter || $0 == 0x2D) }
    }
}

extension Request: CustomStringConvertible, CustomDebugStringConvertible {
    /// Method, URL and the status, each where there is one.
    public var description: String {
        let request = request
        var words: [String] = []
        if let method = request?.httpMethod { words.append(method) }
        if let url = request?.url { words.append(Redaction.address(url.absoluteString)) }
        if let response { words.append("(\(response.statusCode))") }
        return words.joined(separator: " ")
    }

    /// The request as a command of curl for a shell, without secrets.
    public var debugDescription: String { curl.text() }

    /// The request as a command of curl for a shell.
    ///
    /// - Parameter showingSecrets: whether passwords, cookies and other secrets are in it.
    public func cURLDescription(showingSecrets: Bool = false) -> String {
        curl.text(showingSecrets: showingSecrets)
    }

    var curl: CurlCommand {
        let configuration = taskSession.configuration
        var command = CurlCommand(request: request)
        command.additionalHeaders = configuration.httpAdditionalHeaders ?? [:]
        if let url = request?.url, let host = url.host {
            if let storage = configuration.urlCredentialStorage {
                let space = URLProtectionSpace(
                    host: host, port: url.port ?? 0, protocol: url.scheme, realm: host,
                    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
                if let stored = storage.credentials(for: space)?.values, !stored.isEmpty {
                    command.credentials = Array(stored)
                } else if let credential = state.withLock({ $0.credential }) {
                    command.credentials = [credential]
                }
            }
            if configuration.httpShouldSetCookies {
                command.cookies = configuration.httpCookieStorage?.cookies(for: url) ?? []
            }
        }
        return command
    }
}
