import EventRecorder
import Foundation
public import FoundationNetworking

extension URLRequest {
    /// The request as a command of curl's for a POSIX shell, which puts the same request on the wire.
    ///
    /// The command has method, address, fields and `httpBody`, but not the cookies and credentials that a
    /// store would add. A body that is not text goes in by `printf`; a body stream is read from the
    /// command's standard input. No control character is in it but tabs and line ends of the body: a
    /// body with others goes in by `printf`, and elsewhere U+FFFD stands in their place.
    ///
    /// - Parameter showingSecrets: whether passwords, tokens and cookies are in it; else they are
    ///   `REDACTED`, and the text can go into a log.
    /// - Returns: nil where the request has no address with a host.
    public func curlCommand(showingSecrets: Bool = false) -> String? {
        guard let url, url.host?.isEmpty == false else { return nil }
        return CurlCommandText(request: self, url: url, showsSecrets: showingSecrets).text
    }
}

/// Writes a request as a command.
private struct CurlCommandText {
    let request: URLRequest
    let url: URL
    let showsSecrets: Bool

    private var method: String { request.httpMethod ?? "GET" }
    /// As the transport has it: these methods have a body, be it an empty one (RFC 9110 section 8.6).
    private var hasBody: Bool {
        request.httpBody != nil || request.httpBodyStream != nil
            || ["POST", "PUT", "PATCH"].contains(method)
    }

    var text: String {
        var words: [String] = ["curl"]
        let address = url.absoluteString
        // curl would take brackets for ranges, and dots out of the path.
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

    /// Whether a coded body is asked for as the transport does.
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
            // An empty Accept is not sent at all, and curl is not to send its own.
            return name + (name.isSameField(as: "Accept") ? ":" : ";")
        }
        if accepts {
            lines.append("Accept-Encoding: gzip, deflate")
        } else if !has("Accept-Encoding") {
            lines.append("Accept-Encoding: identity")
        }
        // What curl would add by itself.
        if !has("User-Agent") { lines.append("User-Agent:") }
        if hasBody, !has("Expect") { lines.append("Expect:") }
        if hasBody, !has("Content-Type") { lines.append("Content-Type:") }
        if request.httpBody == nil, request.httpBodyStream != nil {
            lines.append("Transfer-Encoding: chunked")
        }
        return lines.map { "-H " + ShellWords.quoted($0) }
    }

    /// The option, and the command that writes what it reads.
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
        // An argument has no NUL, and at most 128 KiB.
        guard data.count <= 100_000, !data.contains(0),
            let text = String(data: data, encoding: .utf8),
            Data(text.printableLines.utf8) == data
        else { return (ShellWords.printed(data), ["--data-binary @-"]) }
        return (nil, ["--data-raw " + ShellWords.quoted(text)])
    }
}
