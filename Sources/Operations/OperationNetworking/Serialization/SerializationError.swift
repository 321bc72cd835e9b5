public import Foundation
public import FoundationNetworking
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

        /// -1000: the text is no URL, the query made the URL invalid, or the request has no URL.
        public static let badURL = Reason(rawValue: NSURLErrorBadURL)
        /// 1: a value or a key that the format cannot have, or a header field that HTTP does not allow.
        public static let unsupportedValue = Reason(rawValue: 1)
        /// 2: parameters nested more than 512 deep, or containing themselves.
        public static let nestedTooDeeply = Reason(rawValue: 2)
        /// 3: text with characters that the serializer's `stringEncoding` does not have.
        public static let textNotEncodable = Reason(rawValue: 3)
        /// 4: the parameters could not be encoded; the encoder's error, if there is one, is the underlying one.
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

    /// Throws for a header field that HTTP does not allow. `URLRequest.setValue` accepts invalid names, and drops a value
    /// with a line end without an error.
    package static func checkField(_ field: String, _ value: String) throws {
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
    /// A clause for an error text; nil unless the error is a `DecodingError` or an `EncodingError`.
    package static func clause(for error: any Error) -> String? {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "no value at \(path(context.codingPath + [key]))"
        case DecodingError.valueNotFound(let type, let context):
            "null or nothing in place of \(type) at \(path(context.codingPath))"
        case DecodingError.typeMismatch(let type, let context):
            "the value at \(path(context.codingPath)) is no \(type)"
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

/// Declarations that a `DOCTYPE` may not have: they can make an XML document far larger than its bytes.
enum MarkupDeclaration: String, Error {
    case entity = "an entity"
    case attributes = "an attribute list"
    case notation = "a notation"
}

/// Why a response was not accepted, or its body not decoded.
///
/// As an `NSError` it has AFNetworking's domain `NetworkingError.responseSerializationDomain`, the code -1011, -1016 or
/// -1103, and AFNetworking's keys in `userInfo`, as far as there is a value.
public struct ResponseSerializationError: CustomNSError, Sendable {
    /// What was wrong. `errorCode` is the code of the `NSError`.
    public enum Reason: Sendable, Equatable {
        /// The status is not among the acceptable ones.
        case unacceptableStatusCode(Int)
        /// The content type is not among the acceptable ones; nil if the response has none.
        case unacceptableContentType(String?)
        /// The body is no text in its encoding.
        case undecodableText(String.Encoding)
        /// The body was not decoded, because that would take far more memory or time than its size suggests.
        case exceedsLimit(Limit)
        /// The body is no image that can be decoded; the underlying error says why.
        case undecodableImage
        /// The body could not be decoded as the named type; the decoder's error, if there is one, is the underlying one.
        case undecodableValue(type: String)
    }

    /// Limits for decoding, so that a small body cannot take all memory or time. The raw values never change.
    public enum Limit: Int, Error, Sendable {
        /// 1: a binary property list whose shared objects would unpack to too much. It may have as many
        /// values as its length in bytes plus 1,000,000, and as many bytes of text and data as its length plus 64 MiB.
        case sharedValues = 1
        /// 2: an XML element with more than 512 attributes.
        case attributes = 2
        /// 3: an XML document that declares entities, attribute lists or notations.
        case entities = 3
        /// 4: an image that exceeds a limit of its decoder, which the underlying error names.
        case image = 4
        /// 5: an XML document with more than 10,000 different names, more than 256 namespaces around one element, more
        /// than 50,000 `xml:id`s, or a name above 1,024 bytes.
        case names = 5
        /// 6: a dictionary with more than 1,000 keys of the same hash, as in an attack.
        case keys = 6
    }

    /// What was wrong.
    public let reason: Reason
    /// The response.
    public let response: URLResponse?
    /// The body, if it is in memory.
    public let data: Data?
    /// A second error: that of the content type if status and type are both wrong, or that of the decoder.
    public let underlying: (any Error)?
    /// Whether the request was not sent again because the retry budget was used up.
    private var isRetryBudgetUsed = false
    /// The refused declaration of an XML document.
    private var declared: MarkupDeclaration?

    /// Makes the error.
    public init(
        _ reason: Reason, response: URLResponse?, data: Data?, underlying: (any Error)? = nil
    ) {
        self.reason = reason
        self.response = response
        self.data = data
        self.underlying = underlying
    }

    init(_ declared: MarkupDeclaration, response: URLResponse?, data: Data?) {
        self.init(.exceedsLimit(.entities), response: response, data: data)
        self.declared = declared
    }

    /// A serializer's error, with a note if the request was not retried because the budget was used up.
    ///
    /// - Parameter last: the last decision about a retry.
    package static func noted(_ error: any Error, _ last: RetryDecision?) -> any Error {
        guard var error = error as? Self, last?.outcome == .stops(.budgetUsed) else { return error }
        error.isRetryBudgetUsed = true
        return error
    }

    /// `NetworkingError.responseSerializationDomain`.
    public static var errorDomain: String { NetworkingError.responseSerializationDomain }

    /// -1011 for a status, -1016 for a type and for text, images or values that cannot be decoded, -1103 for a limit.
    public var errorCode: Int {
        switch reason {
        case .unacceptableStatusCode: NSURLErrorBadServerResponse
        case .unacceptableContentType, .undecodableText, .undecodableImage,
            .undecodableValue:
            NSURLErrorCannotDecodeContentData
        case .exceedsLimit: NSURLErrorDataLengthExceedsMaximum
        }
    }

    /// The description and, as far as there are any, reason, URL, response, body and underlying error.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: sentence]
        info[NSURLErrorFailingURLErrorKey] = response?.url
        info[NetworkingError.failingURLResponseKey] = response
        info[NetworkingError.failingURLResponseDataKey] = data
        info[NSUnderlyingErrorKey] = underlying.map { DescribedError.nsError(of: $0) }
        switch reason {
        case .undecodableText(let encoding):
            info[NSLocalizedFailureReasonErrorKey] = "The body is not text in \(encoding)."
        case .undecodableValue:
            info[NSLocalizedFailureReasonErrorKey] = underlying.flatMap(CodingProblem.clause)
        case .undecodableImage, .exceedsLimit(.image):
            info[NSLocalizedFailureReasonErrorKey] = underlying?.localizedDescription.printable
        default: break
        }
        return info
    }

    private var sentence: String {
        switch reason {
        case .unacceptableStatusCode(let code):
            "Request failed: \(Self.text(ofStatus: code)) (\(code))"
                + (isRetryBudgetUsed ? "; \(BudgetUsed.text)" : "")
        case .unacceptableContentType(let type):
            "Request failed: unacceptable content-type: \(type?.printable ?? "(null)")"
        case .undecodableText:
            "Request failed: the body could not be decoded as text"
        case .undecodableImage:
            "Request failed: the body could not be decoded as an image"
        case .undecodableValue(let type):
            "Request failed: the body could not be decoded as \(type): " + defect
        case .exceedsLimit(let limit):
            "Request failed: "
                + (declared.map { "the body declares \($0.rawValue)" } ?? limit.sentence)
        }
    }

    private var defect: String {
        guard let underlying else {
            return data == nil
                ? "the response serializer made no value of that type" : "it is empty"
        }
        return CodingProblem.clause(for: underlying) ?? underlying.localizedDescription.printable
    }

    /// A status in words as Apple's Foundation has it: in lower case, and "no error" for 200.
    private static func text(ofStatus code: Int) -> String {
        code == 200
            ? "no error" : HTTPURLResponse.localizedString(forStatusCode: code).lowercased()
    }
}

extension ResponseSerializationError.Limit {
    fileprivate var sentence: String {
        switch self {
        case .sharedValues: "the body is a property list that would become too large in memory"
        case .attributes: "an XML element of the body has more than 512 attributes"
        case .entities: "the body declares entities, attribute lists or notations"
        case .image: "the image exceeds a limit of its decoder"
        case .names:
            "the XML body has too many names, namespaces or xml:ids, or a name that is too long"
        case .keys: "a dictionary of the body has more than 1,000 keys with the same hash"
        }
    }
}

extension ResponseSerializationError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line: domain, code, sentence, URL without secrets, and the underlying error's domain and code.
    public var description: String {
        DescribedError.line(
            Self.errorDomain, errorCode, sentence, response?.url, beneath: underlying)
    }

    /// The same as `description`.
    public var debugDescription: String { description }
}

extension ResponseSerializationError: CustomReflectable {
    /// Only reason and description, because response and body may contain secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["reason": reason, "description": description])
    }
}
