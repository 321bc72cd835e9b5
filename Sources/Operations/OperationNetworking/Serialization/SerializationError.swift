public import Foundation
import HTTPSemantics

/// Names in serialization errors; they are the original's strings.
public enum NetworkingError {
    /// The domain of errors in making a request.
    public static let requestSerializationDomain = "com.alamofire.error.serialization.request"

    /// The domain of errors in reading a response.
    public static let responseSerializationDomain = "com.alamofire.error.serialization.response"

    /// `userInfo` key: the request of the operation that failed. The original declares the key and
    /// never uses it; the same holds here.
    public static let failingURLRequestKey = "com.alamofire.serialization.request.error.response"

    /// `userInfo` key: the `URLResponse` that was refused.
    public static let failingURLResponseKey = "com.alamofire.serialization.response.error.response"

    /// `userInfo` key: the `Data` of the body that was refused.
    public static let failingURLResponseDataKey = "com.alamofire.serialization.response.error.data"
}

/// A request could not be made.
///
/// Its domain as an `NSError` is ``NetworkingError/requestSerializationDomain``, its code is the
/// number of the reason, and its `userInfo` has the explanation under
/// `NSLocalizedFailureReasonErrorKey` and, where there is one, the underlying error.
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
        /// 1: a value or a key that the format lacks.
        public static let unsupportedValue = Reason(rawValue: 1)
        /// 2: parameters nested more than 512 deep, or containing themselves.
        public static let nestedTooDeeply = Reason(rawValue: 2)
        /// 3: text that the serializer's `stringEncoding` lacks.
        public static let textNotEncodable = Reason(rawValue: 3)
        /// 4: the format's own writer failed; its error is the underlying one.
        public static let encodingFailed = Reason(rawValue: 4)
    }

    /// Why the request could not be made.
    public let reason: Reason
    /// One sentence that names what was wrong.
    public let explanation: String
    /// The error that caused this one, if there was one.
    public let underlying: (any Error)?

    /// Makes an error with its sentence.
    public init(_ reason: Reason, _ explanation: String, underlying: (any Error)? = nil) {
        self.reason = reason
        self.explanation = explanation.printable
        self.underlying = underlying
    }

    /// Refuses a field that cannot be sent; `URLRequest.setValue` would leave it out without an
    /// error.
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
