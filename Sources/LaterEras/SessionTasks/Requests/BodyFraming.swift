import Foundation
import FoundationNetworking

/// Pure: the framing of a request's body (RFC 9112 section 6), by a length or in chunks.
///
/// Foundation sends the bytes of a stream in chunks and keeps the request's `Content-Length`.
/// Strict servers refuse a request with both, because attackers smuggle requests that way. An empty
/// `Transfer-Encoding` field makes libcurl send no chunks, and is not sent itself.
enum BodyFraming {
    private static let chunks = "Transfer-Encoding"
    private static let length = "Content-Length"
    /// A value without content for libcurl. For an empty text Foundation would send the field.
    private static let nothing = " "
    /// The header fields that describe a body (RFC 9110 section 15.4).
    private static let bodyFields = [
        length, chunks, "Content-Type", "Content-Encoding", "Content-Language", "Content-Location",
    ]

    /// The request's `Content-Length` in bytes; nil where it is missing or not a length.
    static func declaredLength(of request: URLRequest) -> Int64? {
        guard request.value(forHTTPHeaderField: chunks) == nil else { return nil }
        return request.value(forHTTPHeaderField: length).flatMap { Int64($0) }.flatMap {
            $0 < 0 ? nil : $0
        }
    }

    /// The request with one of the two header fields, for a body that is a stream.
    static func framed(_ request: URLRequest) -> URLRequest {
        var framed = request
        if declaredLength(of: request) == nil {
            framed.setValue(nil, forHTTPHeaderField: length)
        } else {
            framed.setValue(nothing, forHTTPHeaderField: chunks)
        }
        return framed
    }

    /// The request as the caller made it.
    static func shown(_ request: URLRequest) -> URLRequest {
        guard request.value(forHTTPHeaderField: chunks) == nothing else { return request }
        var shown = request
        shown.setValue(nil, forHTTPHeaderField: chunks)
        return shown
    }

    /// A redirected request without the fields that describe a body. Foundation drops the body at
    /// each redirect and keeps these fields, and a server would wait for the body.
    static func withoutBody(_ request: URLRequest, isOtherMethod: Bool) -> URLRequest {
        var request = request
        for field in isOtherMethod ? bodyFields : [length, chunks] {
            request.setValue(nil, forHTTPHeaderField: field)
        }
        return request
    }
}
