import EventRecorder
public import Foundation
public import FoundationNetworking
import HTTPSemantics

/// Validates the status and the type of a response, and returns the body unchanged.
///
/// It is the superclass of the serializers that decode. A subclass may override `validate(_:data:)`, which those
/// call, and `responseObject(for:data:)`. Statuses 200 to 299 and all types are acceptable by default.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the properties, a subclass's too, but not while a body is decoded. Calls
/// out on: nothing.
open class HTTPResponseSerializer: NSObject, URLResponseSerialization, NSCopying, NSSecureCoding,
    @unchecked Sendable
{
    // @unchecked because every variable is guarded by `lock`.
    let lock = NSLock()

    // MARK: Guarded by lock
    private var acceptance = ResponseAcceptance()
    private var encoding = String.Encoding.utf8

    /// Makes a serializer with the default settings.
    public required override init() {
        super.init()
    }

    /// The encoding of text if the response names none or an unknown one; UTF-8 by default.
    public var stringEncoding: String.Encoding {
        get { lock.withLock { encoding } }
        set { lock.withLock { encoding = newValue } }
    }

    /// The statuses that are acceptable; nil accepts all. 200 to 299 by default.
    public var acceptableStatusCodes: IndexSet? {
        get { lock.withLock { acceptance.statusCodes } }
        set { lock.withLock { acceptance.statusCodes = newValue } }
    }

    /// The media types that are acceptable, without parameters, compared letter by letter;
    /// nil accepts all.
    public var acceptableContentTypes: Set<String>? {
        get { lock.withLock { acceptance.contentTypes } }
        set { lock.withLock { acceptance.contentTypes = newValue } }
    }

    /// Validates a response.
    ///
    /// A wrong type is no error if the body is empty. Without a URL, neither is an error. If both are wrong, the
    /// status's error has the type's as underlying error.
    ///
    /// - Parameters:
    ///   - response: valid if it is nil or not HTTP.
    ///   - data: the body.
    /// - Throws: `ResponseSerializationError`, -1011 for the status, -1016 for the type.
    open func validate(_ response: HTTPURLResponse?, data: Data?) throws {
        let acceptance = lock.withLock { self.acceptance }
        if case .invalid(let error?) = acceptance.verdict(on: response, data: data) { throw error }
    }

    /// The unchanged body, and the error of the validation if there is one.
    open func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        SerializedResponse(object: data, error: validationError(of: response, data))
    }

    // MARK: For serializers that decode

    /// Validates, and decodes unless the type is wrong. A decoding error has the validation's as underlying error.
    ///
    /// If the status is an error too, it takes precedence over undecodable text and exceeded limits.
    package func decoded(
        _ response: URLResponse?, _ data: Data?, by decode: () throws -> Any?
    ) -> SerializedResponse {
        let invalidity = validationError(of: response, data)
        if let invalidity, Self.hasUnacceptableType(invalidity) {
            return SerializedResponse(object: nil, error: invalidity)
        }
        do {
            return SerializedResponse(object: try decode(), error: invalidity)
        } catch let error as ResponseSerializationError {
            return SerializedResponse(object: nil, error: invalidity ?? error)
        } catch let limit as ResponseSerializationError.Limit {
            let error = ResponseSerializationError(
                .exceedsLimit(limit), response: response, data: data)
            return SerializedResponse(object: nil, error: invalidity ?? error)
        } catch let declared as MarkupDeclaration {
            let error = ResponseSerializationError(declared, response: response, data: data)
            return SerializedResponse(object: nil, error: invalidity ?? error)
        } catch {
            return SerializedResponse(
                object: nil, error: Self.attaching(invalidity, to: error))
        }
    }

    /// The error that `validate` throws, even an overridden one.
    private func validationError(of response: URLResponse?, _ data: Data?) -> (any Error)? {
        do {
            try validate(response as? HTTPURLResponse, data: data)
            return nil
        } catch {
            return error
        }
    }

    /// Whether the error or an underlying one says that the type is not acceptable.
    private static func hasUnacceptableType(_ error: any Error) -> Bool {
        var next: NSError? = error as NSError
        while let error = next {
            if error.domain == NetworkingError.responseSerializationDomain,
                error.code == NSURLErrorCannotDecodeContentData
            {
                return true
            }
            next = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return false
    }

    /// The error with an underlying error, unless it has one already.
    private static func attaching(_ underlying: (any Error)?, to error: any Error) -> any Error {
        let top = error as NSError
        guard let underlying, top.userInfo[NSUnderlyingErrorKey] == nil else { return error }
        var info = top.userInfo
        info[NSUnderlyingErrorKey] = underlying
        return DescribedError(domain: top.domain, code: top.code, userInfo: info)
    }

    // MARK: For AFNetworking's methods

    /// AFNetworking's Boolean result, which can be false without an error.
    package func accepts(_ response: URLResponse?, data: Data?) -> Bool {
        guard validationError(of: response, data) == nil else { return false }
        let acceptance = lock.withLock { self.acceptance }
        switch acceptance.verdict(on: response as? HTTPURLResponse, data: data) {
        case .valid: return true
        // An overridden `validate` may accept a response that is an error here.
        case .invalid(let error): return error != nil
        }
    }

    /// The object for a caller that passes no error pointer: the decoding serializers return nil for an invalid
    /// response.
    package func objectWithoutError(for response: URLResponse?, data: Data?) -> Any? {
        guard !(self is any BodyDecoding) || accepts(response, data: data) else { return nil }
        return responseObject(for: response, data: data).object
    }

    // MARK: Copying and coding

    /// A serializer of the same class with all settings.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self()
        let (acceptance, encoding) = lock.withLock { (self.acceptance, self.encoding) }
        copy.acceptance = acceptance
        copy.encoding = encoding
        return copy
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Reads a serializer from an archive; nil if that does not have what is acceptable.
    public required init?(coder: NSCoder) {
        super.init()
        // A serializer without these settings would accept everything.
        guard let acceptance = coder.value(ResponseAcceptance.self, forKey: "acceptance") else {
            return nil
        }
        self.acceptance = acceptance
        if let raw = coder.integer("stringEncoding") {
            encoding = String.Encoding(rawValue: UInt(bitPattern: raw))
        }
    }

    /// Archives every property.
    open func encode(with coder: NSCoder) {
        let (acceptance, encoding) = lock.withLock { (self.acceptance, self.encoding) }
        coder.encode(value: acceptance, forKey: "acceptance")
        coder.encode(Int(bitPattern: encoding.rawValue), forKey: "stringEncoding")
    }
}

/// A serializer that decodes the body; see `HTTPResponseSerializer.objectWithoutError(for:data:)`.
package protocol BodyDecoding: HTTPResponseSerializer {}

/// Makes an object from a response and its body.
///
/// Operations may call a serializer concurrently, from any thread.
public protocol URLResponseSerialization: AnyObject, Sendable {
    /// The object of a body, and the error of the response.
    ///
    /// There can be both, because the body of an error status is decoded too.
    ///
    /// - Parameters:
    ///   - response: the server's response; nil if there is none.
    ///   - data: the body; nil if it is not in memory.
    func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
}

/// The result of a serializer: an object, an error, both or neither.
public struct SerializedResponse {
    /// The decoded body; nil if it could not be decoded or is empty.
    public var object: Any?

    /// The error; nil if there is none. There can be neither object nor error, for an empty body.
    public var error: (any Error)?

    /// Makes a result.
    public init(object: Any?, error: (any Error)?) {
        self.object = object
        self.error = error
    }
}

/// Which responses a serializer accepts.
struct ResponseAcceptance {
    /// The result for a response. As in AFNetworking, a wrong type is invalid without an error if the body is empty
    /// or the response has no URL.
    enum Verdict {
        case valid
        case invalid((any Error)?)
    }

    /// Nil accepts every status.
    var statusCodes: IndexSet? = Self.success
    private static let success = IndexSet(200..<300)
    /// Nil accepts every type.
    var contentTypes: Set<String>?

    /// Validates type and status; a response that is not HTTP is valid.
    func verdict(on response: HTTPURLResponse?, data: Data?) -> Verdict {
        guard let response else { return .valid }
        var isValid = true
        var error: (any Error)?
        let type = response.mimeType.map(Self.trimmed)
        if let contentTypes, !(type.map(contentTypes.contains) ?? false) {
            isValid = false
            if let data, !data.isEmpty, response.url != nil {
                error = ResponseSerializationError(
                    .unacceptableContentType(type), response: response, data: data)
            }
        }
        let status = response.statusCode
        if let statusCodes, !statusCodes.contains(status), response.url != nil {
            isValid = false
            error = ResponseSerializationError(
                .unacceptableStatusCode(status), response: response, data: data, underlying: error)
        }
        return isValid ? .valid : .invalid(error)
    }

    /// The type without the white space before a `;` (RFC 9110 section 5.6.6), which Foundation on Linux keeps.
    private static func trimmed(_ type: String) -> String {
        func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
        guard isBlank(type.utf8.first) || isBlank(type.utf8.last) else { return type }
        return type.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }
}

extension ResponseAcceptance: Codable {
    private enum Key: CodingKey { case statusCodes, contentTypes }

    /// Decodes the statuses from the bounds of their ranges.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        contentTypes = try values.decodeIfPresent(Set<String>.self, forKey: .contentTypes)
        statusCodes = nil
        guard let bounds = try values.decodeIfPresent([Int].self, forKey: .statusCodes) else {
            return
        }
        var codes = IndexSet()
        for index in stride(from: 0, to: bounds.count, by: 2) {
            guard index + 1 < bounds.count, bounds[index] >= 0, bounds[index] < bounds[index + 1]
            else { throw CocoaError(.coderReadCorrupt) }
            codes.insert(integersIn: bounds[index]..<bounds[index + 1])
        }
        statusCodes = codes
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        let bounds = statusCodes?.rangeView.flatMap { [$0.lowerBound, $0.upperBound] }
        try values.encodeIfPresent(bounds, forKey: .statusCodes)
        try values.encodeIfPresent(contentTypes, forKey: .contentTypes)
    }
}

extension URLResponse {
    /// The text of Foundation's description, without secrets.
    package var shown: String {
        let address = Unmanaged.passUnretained(self).toOpaque()
        let url = url.map { Redaction.address($0.absoluteString) } ?? "nil"
        var text = "<\(type(of: self)) \(address)> { URL: \(url) }"
        guard let response = self as? HTTPURLResponse else { return text }
        let fields = response.allHeaderFields.map { ("\($0)", "\($1)") }.sorted { $0.0 < $1.0 }
        text += "{ status: \(response.statusCode), headers {\n"
        for field in Redaction.fields(fields.map { (name: $0, value: $1) }) {
            text += "   \"\(field.name)\" = \(field.value);\n"
        }
        return text.printableLines + "} }"
    }
}
