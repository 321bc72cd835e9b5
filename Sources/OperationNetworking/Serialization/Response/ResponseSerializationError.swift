public import Foundation
public import FoundationNetworking

/// Why a response was not accepted, or its text not read.
///
/// Seen as an NSError it is the original's: domain `NetworkingError.responseSerializationDomain`,
/// code -1011 or -1016, and a userInfo under the original's keys. A part that is not known (no URL,
/// no body) has no key there.
public struct ResponseSerializationError: CustomNSError, Sendable {
    /// What was wrong. The numbers never change.
    public enum Reason: Sendable, Equatable {
        /// 1: the status is not among the acceptable ones (RE-3).
        case unacceptableStatusCode(Int)
        /// 2: the type is not among the acceptable ones (RE-2); nil where the response named none.
        case unacceptableContentType(String?)
        /// 3: the body is no text in the encoding that it should have (wound 35).
        case undecodableText(String.Encoding)
    }

    /// What was wrong.
    public let reason: Reason
    /// The response.
    public let response: URLResponse?
    /// The body, as far as it is in memory.
    public let data: Data?
    /// What else was wrong: the type, beside a status.
    public let underlying: (any Error)?

    /// Describes a failure.
    public init(
        _ reason: Reason, response: URLResponse?, data: Data?, underlying: (any Error)? = nil
    ) {
        self.reason = reason
        self.response = response
        self.data = data
        self.underlying = underlying
    }

    /// The original's domain of response errors.
    public static var errorDomain: String { NetworkingError.responseSerializationDomain }

    /// -1011 for a status, -1016 for a type and for undecodable text.
    public var errorCode: Int {
        switch reason {
        case .unacceptableStatusCode: NSURLErrorBadServerResponse
        case .unacceptableContentType, .undecodableText: NSURLErrorCannotDecodeContentData
        }
    }

    /// The description, and of URL, response, body and underlying error what there is.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: description]
        info[NSURLErrorFailingURLErrorKey] = response?.url
        info[NetworkingError.failingURLResponseKey] = response
        info[NetworkingError.failingURLResponseDataKey] = data
        info[NSUnderlyingErrorKey] = underlying.map { $0 as NSError }
        if case .undecodableText(let encoding) = reason {
            info[NSLocalizedFailureReasonErrorKey] = "The body is not text in \(encoding)."
        }
        return info
    }

    private var description: String {
        switch reason {
        case .unacceptableStatusCode(let code):
            "Request failed: \(Self.text(ofStatus: code)) (\(code))"
        case .unacceptableContentType(let type):
            "Request failed: unacceptable content-type: \(type ?? "(null)")"
        case .undecodableText:
            "Request failed: the body could not be decoded as text"
        }
    }

    /// A status in words, as Apple's Foundation has them: lower case, and another text for 200.
    private static func text(ofStatus code: Int) -> String {
        code == 200
            ? "no error" : HTTPURLResponse.localizedString(forStatusCode: code).lowercased()
    }
}
