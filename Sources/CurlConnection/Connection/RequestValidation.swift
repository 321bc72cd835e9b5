import Foundation
import FoundationNetworking

/// Whether a request can be sent as it stands; bytes are looked at, not characters, since to Swift
/// CR LF is one character.
enum RequestValidation {
    /// - Throws: `URLError.badURL` for a URL, method or field that cannot be sent,
    ///   `.unsupportedURL` for a scheme other than http and https. Nothing was sent then.
    static func check(_ request: URLRequest) throws(URLError) -> URL {
        guard let url = request.url else {
            throw TransferError.error(.badURL, url: nil, text: "The request has no URL.")
        }
        guard let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw TransferError.error(
                .unsupportedURL, url: url, text: "Only http and https URLs can be loaded.")
        }
        guard url.absoluteString.areAllBytes({ $0 > 0x20 && $0 != 0x7F }) else {
            throw TransferError.error(
                .badURL, url: url, text: "The URL holds a space or a control byte.")
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else {
            throw TransferError.error(.badURL, url: url, text: "The URL names no host.")
        }
        try check(method: request.httpMethod ?? "GET", url: url)
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            try check(field: name, value: value, url: url)
        }
        return url
    }

    private static func check(method: String, url: URL) throws(URLError) {
        guard isToken(method) else {
            throw TransferError.error(
                .badURL, url: url, text: "The method is not a token (RFC 9110 section 9.1).")
        }
    }

    private static func check(field name: String, value: String, url: URL) throws(URLError) {
        guard isToken(name) else {
            throw TransferError.error(
                .badURL, url: url,
                text: "A header field's name is not a token (RFC 9110 section 5.1).")
        }
        guard value.areAllBytes({ $0 != 0 && $0 != 0x0A && $0 != 0x0D }) else {
            throw TransferError.error(
                .badURL, url: url, text: "The value of \(name) holds CR, LF or NUL.")
        }
    }

    /// RFC 9110 section 5.6.2.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.areAllBytes { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default:
                    "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

extension String {
    /// Whether a condition holds for each byte; the string's own walk takes several times as long.
    fileprivate func areAllBytes(_ condition: (UInt8) -> Bool) -> Bool {
        utf8.withContiguousStorageIfAvailable { $0.allSatisfy(condition) }
            ?? utf8.allSatisfy(condition)
    }
}
