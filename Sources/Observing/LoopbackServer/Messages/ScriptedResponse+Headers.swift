public import Foundation

// The same responses with header fields as a dictionary literal, whose order and repeated names stay.
extension ScriptedResponse {
    /// Data with its `Content-Length` and with header fields such as `["ETag": "\"1\""]`.
    public static func data(
        _ body: Data, status: Int = 200, headers: KeyValuePairs<String, String>,
        contentType: String = "application/octet-stream"
    ) -> ScriptedResponse {
        data(body, status: status, headers: pairs(headers), contentType: contentType)
    }

    /// UTF-8 text with header fields such as `["ETag": "\"1\""]`.
    public static func text(
        _ text: String, status: Int = 200, headers: KeyValuePairs<String, String>,
        contentType: String = "text/plain; charset=utf-8"
    ) -> ScriptedResponse {
        self.text(text, status: status, headers: pairs(headers), contentType: contentType)
    }

    /// JSON that is given as text, with header fields such as `["ETag": "\"1\""]`.
    public static func json(
        _ text: String, status: Int = 200, headers: KeyValuePairs<String, String>
    ) -> ScriptedResponse {
        json(text, status: status, headers: pairs(headers))
    }

    /// A value as JSON with sorted keys, with header fields such as `["ETag": "\"1\""]`; status 500 when it
    /// cannot be encoded.
    public static func json(
        encoding value: some Encodable, status: Int = 200, headers: KeyValuePairs<String, String>
    ) -> ScriptedResponse {
        json(encoding: value, status: status, headers: pairs(headers))
    }

    /// A status with its reason phrase as the text, and with header fields such as `["Set-Cookie": "a=b"]`.
    public static func status(
        _ status: Int, headers: KeyValuePairs<String, String>
    ) -> ScriptedResponse {
        self.status(status, headers: pairs(headers))
    }

    private static func pairs(_ headers: KeyValuePairs<String, String>) -> [(String, String)] {
        headers.map { ($0.key, $0.value) }
    }
}
