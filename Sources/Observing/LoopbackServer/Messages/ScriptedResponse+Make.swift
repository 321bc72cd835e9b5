import EventRecorder
public import Foundation

extension ScriptedResponse {
    /// The bytes of a response head: status line, header fields, blank line.
    public static func head(_ status: Int, _ headers: [(String, String)] = []) -> Data {
        var text = "HTTP/1.1 \(status) \(reason(status))\r\n"
        for (name, value) in headers { text += "\(name): \(value)\r\n" }
        return Data((text + "\r\n").utf8)
    }

    static func reason(_ status: Int) -> String {
        ReasonPhrase.ofStatus[status] ?? "Status \(status)"
    }

    /// Data with its `Content-Length`.
    ///
    /// Responses of status 1xx, 204 and 304 have no length and no body.
    public static func data(
        _ body: Data, status: Int = 200, headers: [(String, String)] = [],
        contentType: String = "application/octet-stream"
    ) -> ScriptedResponse {
        if status < 200 || status == 204 || status == 304 {
            return ScriptedResponse([.bytes(head(status, headers))])
        }
        let own = [("Content-Type", contentType), ("Content-Length", "\(body.count)")]
        return ScriptedResponse([.bytes(head(status, own + headers) + body)])
    }

    /// UTF-8 text.
    public static func text(
        _ text: String, status: Int = 200, headers: [(String, String)] = [],
        contentType: String = "text/plain; charset=utf-8"
    ) -> ScriptedResponse {
        data(Data(text.utf8), status: status, headers: headers, contentType: contentType)
    }

    /// JSON that is given as text.
    public static func json(
        _ text: String, status: Int = 200, headers: [(String, String)] = []
    ) -> ScriptedResponse {
        self.text(text, status: status, headers: headers, contentType: "application/json")
    }

    /// A value as JSON with sorted keys; status 500 when it cannot be encoded.
    public static func json(
        encoding value: some Encodable, status: Int = 200, headers: [(String, String)] = []
    ) -> ScriptedResponse {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let body = try? encoder.encode(value) else { return .status(500) }
        return data(body, status: status, headers: headers, contentType: "application/json")
    }

    /// A status with its reason phrase as the text.
    public static func status(_ status: Int, headers: [(String, String)] = []) -> ScriptedResponse {
        text(reason(status), status: status, headers: headers)
    }

    /// A redirect with an empty body.
    public static func redirect(to location: String, status: Int = 302) -> ScriptedResponse {
        text("", status: status, headers: [("Location", location)])
    }

    /// A body in pieces with a pause, in seconds, between them; the head has the whole length.
    public static func drip(
        _ pieces: [Data], delay: Double, headers: [(String, String)] = []
    ) -> ScriptedResponse {
        let length = pieces.reduce(0) { $0 + $1.count }
        let own = [("Content-Length", "\(length)")]
        return ScriptedResponse(
            [.bytes(head(200, own + headers))] + spaced(pieces.map { .bytes($0) }, delay))
    }

    /// A chunked body, one chunk for each piece, with a pause, in seconds, between them.
    public static func chunked(
        _ pieces: [Data], delay: Double = 0, headers: [(String, String)] = [],
        trailers: [(String, String)] = []
    ) -> ScriptedResponse {
        var own = [("Transfer-Encoding", "chunked")]
        if !trailers.isEmpty {
            own.append(("Trailer", trailers.map(\.0).joined(separator: ", ")))
        }
        let end = trailers.map { "\($0): \($1)\r\n" }.joined()
        let chunks = pieces.filter { !$0.isEmpty }.map { Step.bytes(chunk($0)) }
        return ScriptedResponse(
            [.bytes(head(200, own + headers))] + spaced(chunks, delay)
                + [.bytes(Data("0\r\n\(end)\r\n".utf8))])
    }

    /// One chunk of a chunked body with its size line.
    public static func chunk(_ data: Data) -> Data {
        Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8)
    }

    /// The steps with a pause between each two.
    static func spaced(_ steps: [Step], _ delay: Double) -> [Step] {
        guard delay > 0 else { return steps }
        return Array(steps.map { [$0] }.joined(separator: [.sleep(seconds: delay)]))
    }
}
