import Foundation
package import FoundationNetworking
import HTTPSemantics

/// Whether a request can be sent as it stands.
package enum RequestValidation {
    /// For a caller who does not send it, on any thread.
    package static func checkForSending(_ request: URLRequest) throws {
        _ = try check(request) { CheckedFields($0) }
    }

    /// - Throws: `URLError.badURL` for a URL, method or field that cannot be sent,
    ///   `.unsupportedURL` for a scheme other than http and https. Nothing was sent then.
    static func check(
        _ request: URLRequest, _ fields: ([String: String]) -> CheckedFields
    ) throws(URLError) -> CheckedRequest {
        guard let url = request.url else {
            throw URLError(.badURL, url: nil, text: "The request has no URL.")
        }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw URLError(
                .unsupportedURL, url: url,
                text: "Only http and https URLs are loaded; file: and data: URLs with "
                    + "loadsLocalAddresses.")
        }
        guard url.absoluteString.areAllBytes({ $0 > 0x20 && $0 != 0x7F }) else {
            throw URLError(
                .badURL, url: url,
                text: "The URL holds a space or a control byte; percent-encode it.")
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else {
            throw URLError(.badURL, url: url, text: "The URL names no host.")
        }
        let method = request.httpMethod ?? "GET"
        try check(method: method, url: url)
        let fields = fields(request.allHTTPHeaderFields ?? [:])
        try check(fields, of: request, url)
        return CheckedRequest(url: url, method: method, fields: fields)
    }

    private static func check(method: String, url: URL) throws(URLError) {
        guard RequestField.isToken(method) else {
            throw URLError(
                .badURL, url: url, text: "The method is not a token (RFC 9110 section 9.1).")
        }
    }

    private static func check(
        _ fields: CheckedFields, of request: URLRequest, _ url: URL
    ) throws(URLError) {
        if let objection = fields.objection {
            throw URLError(.badURL, url: url, text: objection)
        }
        guard let encoding = fields.transferEncoding else { return }
        guard encoding == "chunked", request.httpBody != nil || request.httpBodyStream != nil else {
            throw URLError(
                .badURL, url: url,
                text: "The field Transfer-Encoding may be \"chunked\", with a body; "
                    + "leave it out otherwise.")
        }
    }
}

/// What was checked of a request that can be sent.
struct CheckedRequest {
    let url: URL
    let method: String
    let fields: CheckedFields

    /// Whether a check of a request would give the same. False with a Transfer-Encoding, whose check needs the body.
    func isResult(for request: URLRequest) -> Bool {
        fields.transferEncoding == nil && request.url == url
            && (request.httpMethod ?? "GET").utf8.elementsEqual(method.utf8)
            && fields.areSame(as: request.allHTTPHeaderFields ?? [:])
    }
}
