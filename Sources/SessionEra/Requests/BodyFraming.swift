import Foundation
import FoundationNetworking

/// Pure: how a request says where its body ends (RFC 9112 section 6), by a length or in chunks.
///
/// Foundation sends the bytes of a stream in chunks, whatever the request's `Content-Length` says,
/// and that field besides: what has both is refused by good servers, since it is how requests are
/// smuggled past bad ones. A field without content keeps libcurl from the chunks, and is not sent.
enum BodyFraming {
    private static let chunks = "Transfer-Encoding"
    private static let length = "Content-Length"
    /// No content for libcurl. For an empty text Foundation would have the field sent.
    private static let nothing = " "
    /// What describes a body (RFC 9110 section 15.4).
    private static let bodyFields = [
        length, chunks, "Content-Type", "Content-Encoding", "Content-Language", "Content-Location",
    ]

    /// What the request says of its body's length, in bytes; nil where it says nothing or no length.
    static func declaredLength(of request: URLRequest) -> Int64? {
        guard request.value(forHTTPHeaderField: chunks) == nil else { return nil }
        return request.value(forHTTPHeaderField: length).flatMap { Int64($0) }.flatMap {
            $0 < 0 ? nil : $0
        }
    }

    /// The request with one of the two fields, for a body that is a stream.
    static func framed(_ request: URLRequest) -> URLRequest {
        var framed = request
        if declaredLength(of: request) == nil {
            framed.setValue(nil, forHTTPHeaderField: length)
        } else {
            framed.setValue(nothing, forHTTPHeaderField: chunks)
        }
        return framed
    }

    /// The request as its maker knows it.
    static func shown(_ request: URLRequest) -> URLRequest {
        guard request.value(forHTTPHeaderField: chunks) == nothing else { return request }
        var shown = request
        shown.setValue(nil, forHTTPHeaderField: chunks)
        return shown
    }

    /// A redirected request: Foundation forgets the body at each redirect, and not the fields that
    /// describe it. Without these a server does not wait for it.
    static func withoutBody(_ request: URLRequest, isOtherMethod: Bool) -> URLRequest {
        var request = request
        for field in isOtherMethod ? bodyFields : [length, chunks] {
            request.setValue(nil, forHTTPHeaderField: field)
        }
        return request
    }
}
