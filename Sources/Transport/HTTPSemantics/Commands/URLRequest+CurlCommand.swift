import EventRecorder
import Foundation
public import FoundationNetworking

extension URLRequest {
    /// The request as a curl command for a POSIX shell. With `showingSecrets` the command sends the same method,
    /// address, header fields and body.
    ///
    /// Cookies and credentials that a storage would add are not in it. For a request with a body stream the command reads
    /// the body from its standard input, which the user supplies, and sends it chunked.
    ///
    /// With `showingSecrets`, a body that is not plain text, or has more than 100,000 bytes, comes from `printf`. Without
    /// it, every body is shown as text. Tabs and line feeds stay. U+FFFD replaces other control characters, and bytes that
    /// are no UTF-8, except in a body from `printf`.
    ///
    /// - Parameter showingSecrets: whether the command has passwords, tokens and cookies; false
    ///   writes `REDACTED` instead, so the text can be logged.
    /// - Returns: a comment of the shell, with the reason, where the request has no URL with a host.
    public func curlCommand(showingSecrets: Bool = false) -> String {
        guard let url, url.host?.isEmpty == false else {
            return "# There is no curl command for a request without a URL that has a host."
        }
        return CurlCommandText(request: self, url: url, showsSecrets: showingSecrets).text
    }
}

private struct CurlCommandText {
    let request: URLRequest
    let url: URL
    let showsSecrets: Bool

    private var method: String { request.httpMethod ?? "GET" }
    /// As in the transport, these methods have a body, even an empty one (RFC 9110 section 8.6).
    private var hasBody: Bool {
        request.httpBody != nil || request.httpBodyStream != nil
            || ["POST", "PUT", "PATCH"].contains(method)
    }

    var text: String {
        var words: [String] = ["curl"]
        let address = url.absoluteString
        // curl would expand [] and {} in the URL, and remove the segments . and .. from its path.
        if address.contains(where: "[]{}".contains) { words.append("--globoff") }
        if url.path(percentEncoded: true).contains("/.") { words.append("--path-as-is") }
        if method == "HEAD" {
            words.append("--head")
        } else if method != (hasBody ? "POST" : "GET") {
            words.append("-X " + ShellWords.quoted(method.printable))
        }
        words += fields.map(\.printableLines)
        if accepts { words.append("--compressed") }
        words += body.word
        words.append(ShellWords.quoted(showsSecrets ? address : Redaction.address(address)))
        return (body.before.map { $0 + " | " } ?? "") + words.joined(separator: " \\\n    ")
    }

    private func has(_ name: String) -> Bool {
        request.value(forHTTPHeaderField: name) != nil
    }

    /// Whether the command asks for a compressed body, as the transport does.
    private var accepts: Bool { !has("Accept-Encoding") && !has("Range") }

    private var fields: [String] {
        let own = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }.filter {
            !["content-length", "transfer-encoding"].contains($0.key.lowercased())
        }
        let shown =
            showsSecrets
            ? own.map { ($0.key, $0.value) }
            : Redaction.fields(own.map { (name: $0.key, value: $0.value) })
        var lines = shown.map { name, value in
            guard value.allSatisfy({ $0 == " " || $0 == "\t" }) else { return "\(name): \(value)" }
            // The transport omits an empty Accept, and `Accept:` keeps curl from sending its own.
            return name + (name.isSameField(as: "Accept") ? ":" : ";")
        }
        if accepts {
            lines.append("Accept-Encoding: gzip, deflate")
        } else if !has("Accept-Encoding") {
            lines.append("Accept-Encoding: identity")
        }
        // curl would add its own.
        if !has("User-Agent") { lines.append("User-Agent:") }
        if hasBody, !has("Expect") { lines.append("Expect:") }
        if hasBody, !has("Content-Type") { lines.append("Content-Type:") }
        if request.httpBody == nil, request.httpBodyStream != nil {
            lines.append("Transfer-Encoding: chunked")
        }
        return lines.map { "-H " + ShellWords.quoted($0) }
    }

    /// The option for the body, and the command whose output it reads.
    private var body: (before: String?, word: [String]) {
        if request.httpBody == nil, request.httpBodyStream != nil {
            return (nil, ["--data-binary @-"])
        }
        guard hasBody else { return (nil, []) }
        let data = request.httpBody ?? Data()
        if !showsSecrets {
            return (
                nil,
                ["--data-raw " + ShellWords.quoted((ShownBody.text(data) ?? "").printableLines)]
            )
        }
        // An argument contains no NUL, and at most 128 KiB.
        guard data.count <= 100_000, !data.contains(0),
            let text = String(data: data, encoding: .utf8),
            Data(text.printableLines.utf8) == data
        else { return (ShellWords.printed(data), ["--data-binary @-"]) }
        return (nil, ["--data-raw " + ShellWords.quoted(text)])
    }
}
