import Foundation
import FoundationNetworking
import HTTPSemantics

/// Whether a request can be sent as it stands.
enum RequestValidation {
    /// - Throws: `URLError.badURL` for a URL, method or field that cannot be sent,
    ///   `.unsupportedURL` for a scheme other than http and https. Nothing was sent then.
    static func check(_ request: URLRequest) throws(URLError) -> URL {
        guard let url = request.url else {
            throw URLError(.badURL, url: nil, text: "The request has no URL.")
        }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw URLError(
                .unsupportedURL, url: url, text: "Only http and https URLs can be loaded.")
        }
        guard url.absoluteString.areAllBytes({ $0 > 0x20 && $0 != 0x7F }) else {
            throw URLError(
                .badURL, url: url, text: "The URL holds a space or a control byte.")
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else {
            throw URLError(.badURL, url: url, text: "The URL names no host.")
        }
        try check(method: request.httpMethod ?? "GET", url: url)
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            try check(field: name, value: value, of: request, url: url)
        }
        return url
    }

    private static func check(method: String, url: URL) throws(URLError) {
        guard RequestField.isToken(method) else {
            throw URLError(
                .badURL, url: url, text: "The method is not a token (RFC 9110 section 9.1).")
        }
    }

    private static func check(
        field name: String, value: String, of request: URLRequest, url: URL
    ) throws(URLError) {
        if let objection = RequestField.objection(to: name, value) {
            throw URLError(.badURL, url: url, text: objection)
        }
        guard name.isSameField(as: "Transfer-Encoding") else { return }
        guard value.trimmingCharacters(in: .whitespaces).lowercased() == "chunked",
            request.httpBody != nil || request.httpBodyStream != nil
        else {
            throw URLError(
                .badURL, url: url,
                text: "The field Transfer-Encoding may be \"chunked\", with a body; "
                    + "nothing else is carried out.")
        }
    }
}
