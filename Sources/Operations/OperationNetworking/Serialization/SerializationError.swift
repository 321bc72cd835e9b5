public import Foundation
import HTTPSemantics

/// The domains and keys of serialization errors, with AFNetworking's strings.
public enum NetworkingError {
    /// The domain of errors in making a request.
    public static let requestSerializationDomain = "com.alamofire.error.serialization.request"

    /// The domain of errors in reading a response.
    public static let responseSerializationDomain = "com.alamofire.error.serialization.response"

    /// `userInfo` key: the request of the operation that failed. Never set, as in AFNetworking.
    public static let failingURLRequestKey = "com.alamofire.serialization.request.error.response"

    /// `userInfo` key: the `URLResponse` that was refused.
    public static let failingURLResponseKey = "com.alamofire.serialization.response.error.response"

    /// `userInfo` key: the `Data` of the body that was refused.
    public static let failingURLResponseDataKey = "com.alamofire.serialization.response.error.data"
}

/// A request could not be made.
///
/// As an `NSError` it has the domain ``NetworkingError/requestSerializationDomain``, the reason's number as
/// code, the explanation under `NSLocalizedFailureReasonErrorKey`, and the underlying error if there is one.
public struct RequestSerializationError: CustomNSError, CustomStringConvertible {
    /// Why; a number that never changes.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        /// The code of the `NSError`.
        public let rawValue: Int

        /// A reason by its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// -1000: the text is no URL, or the query made the URL invalid.
        public static let badURL = Reason(rawValue: NSURLErrorBadURL)
        /// 1: a value or a key of a type that the format does not have.
        public static let unsupportedValue = Reason(rawValue: 1)
        /// 2: parameters nested more than 512 deep, or containing themselves.
        public static let nestedTooDeeply = Reason(rawValue: 2)
        /// 3: text with characters that the serializer's `stringEncoding` does not have.
        public static let textNotEncodable = Reason(rawValue: 3)
        /// 4: the format's encoder failed; its error is the underlying one.
        public static let encodingFailed = Reason(rawValue: 4)
    }

    /// Why the request could not be made.
    public let reason: Reason
    /// A sentence that says what was wrong.
    public let explanation: String
    /// The error that caused this one, if there was one.
    public let underlying: (any Error)?

    /// Makes an error with its sentence.
    public init(_ reason: Reason, _ explanation: String, underlying: (any Error)? = nil) {
        self.reason = reason
        self.explanation = explanation.printable
        self.underlying = underlying
    }

    /// Refuses a header field that cannot be sent, which `URLRequest.setValue` would ignore.
    package static func check(_ field: String, _ value: String) throws {
        if let objection = RequestField.objection(to: field, value) {
            throw RequestSerializationError(.unsupportedValue, objection)
        }
    }

    /// ``NetworkingError/requestSerializationDomain``.
    public static var errorDomain: String { NetworkingError.requestSerializationDomain }

    /// The number of the reason.
    public var errorCode: Int { reason.rawValue }

    /// The explanation and the underlying error.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedFailureReasonErrorKey: explanation]
        if let underlying { info[NSUnderlyingErrorKey] = underlying as NSError }
        return info
    }

    /// The explanation with the number.
    public var description: String { "request not made (\(errorCode)): \(explanation)" }
}

/// What a decoder or an encoder refused, and its path. The text has types and keys, but no values.
package enum CodingProblem {
    /// A clause; nil for other errors than a decoder's or an encoder's.
    package static func words(_ error: any Error) -> String? {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "no value at \(path(context.codingPath + [key]))"
        case DecodingError.valueNotFound(let type, let context):
            "no \(type) but null at \(path(context.codingPath))"
        case DecodingError.typeMismatch(let type, let context):
            "no \(type) at \(path(context.codingPath))"
        case DecodingError.dataCorrupted(let context):
            context.codingPath.isEmpty
                ? "it is not valid" : "the value at \(path(context.codingPath)) is not valid"
        case EncodingError.invalidValue(_, let context):
            "the value at \(path(context.codingPath)) cannot be written"
        default: nil
        }
    }

    /// As Swift writes it: `friends[2].name`.
    private static func path(_ keys: [any CodingKey]) -> String {
        var path = ""
        for key in keys.prefix(maximumDepth) {
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                let name = key.stringValue
                path += path.isEmpty ? "" : "."
                path += name.prefix(maximumLength).description.printable
                if name.utf8.count > maximumLength { path += "…" }
            }
        }
        if keys.count > maximumDepth { path += "…" }
        return path.isEmpty ? "the top" : "'\(path)'"
    }

    /// Keys may come from the server, so they are truncated.
    private static let maximumLength = 64
    private static let maximumDepth = 32
}
