import Foundation
import FoundationNetworking

/// All settings of a request serializer, of which each request uses one copy.
struct RequestSettings {
    typealias QueryBlock = @Sendable (_ request: URLRequest, _ parameters: Any) throws -> String?

    var stringEncoding = String.Encoding.utf8
    var methodsInURI: Set<String> = ["GET", "HEAD", "DELETE"]
    var queryBlock: QueryBlock?
    private var defaults = HeaderFields.ofThisProcess
    var headers: [String: String] {
        get { defaults.headers }
        set { defaults = HeaderFields(newValue) }
    }

    // Nil until set; only settings that were set are written to requests.
    var allowsCellularAccess: Bool?
    var cachePolicy: URLRequest.CachePolicy?
    var handlesCookies: Bool?
    var usesPipelining: Bool?
    var networkServiceType: URLRequest.NetworkServiceType?
    var timeoutInterval: TimeInterval?

    // Settings of the subclasses, so that all are under one lock.
    var writingOptions: JSONSerialization.WritingOptions = []
    var format = PropertyListSerialization.PropertyListFormat.xml
    var writeOptions: PropertyListSerialization.WriteOptions = 0

    /// Nil removes the field. Names are compared case-insensitively, and keep their first spelling.
    mutating func setHeader(_ field: String, to value: String?) {
        headers[spelling(of: field) ?? field] = value
    }

    func header(_ field: String) -> String? {
        spelling(of: field).flatMap { headers[$0] }
    }

    private func spelling(of field: String) -> String? {
        if headers[field] != nil { return field }
        return headers.keys.first { $0.lowercased() == field.lowercased() }
    }

    /// Whether the parameters of a request are encoded in its URL.
    func writesQuery(of request: URLRequest) -> Bool {
        methodsInURI.contains((request.httpMethod ?? "GET").uppercased())
    }
}

// MARK: - Into a request

extension RequestSettings {
    /// A request with the properties that were set.
    func request(_ method: String, _ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        // GET is the default, and the setter is slow: it compares the method with all known ones.
        if method != "GET" { request.httpMethod = method }
        if let allowsCellularAccess { request.allowsCellularAccess = allowsCellularAccess }
        if let cachePolicy { request.cachePolicy = cachePolicy }
        if let handlesCookies { request.httpShouldHandleCookies = handlesCookies }
        if let usesPipelining {
            request.setPipelining(usesPipelining)
        }
        if let networkServiceType { request.networkServiceType = networkServiceType }
        if let timeoutInterval { request.timeoutInterval = timeoutInterval }
        return request
    }

    /// The request with the parameters in its URL or, by its method, in a form body.
    func withQueryOrForm(
        _ request: consuming URLRequest, _ parameters: Any?
    ) throws -> URLRequest {
        if let encoded = parameters as? EncodedParameters {
            return try withBody(encoded.body, encoded.contentType, request)
        }
        let query = try query(of: parameters, for: request)
        guard writesQuery(of: request) else {
            return try withBody(
                TextEncoding.encoded(query ?? "", stringEncoding),
                "application/x-www-form-urlencoded", request)
        }
        request = try withHeaders(request)
        if let query { request.url = try RequestURL.adding(query, to: request.url) }
        return request
    }

    /// The request with the default header fields that it does not have.
    ///
    /// - Throws: for a field that cannot be sent, which Foundation would ignore.
    func withHeaders(_ request: consuming URLRequest) throws -> URLRequest {
        if let defect = defaults.defect { throw defect }
        if request.allHTTPHeaderFields?.isEmpty ?? true, !defaults.asSent.isEmpty {
            request.allHTTPHeaderFields = defaults.asSent
            return request
        }
        for (field, value) in headers where request.value(forHTTPHeaderField: field) == nil {
            request.setValue(value, forHTTPHeaderField: field)
        }
        return request
    }

    /// The request with a query, or with the body that a closure makes of the parameters. Without parameters there is
    /// neither a body nor a type.
    func withQueryOrBody(
        _ request: consuming URLRequest, _ parameters: Any?, _ contentType: String,
        _ body: (Any) throws -> Data
    ) throws -> URLRequest {
        if writesQuery(of: request) || parameters is EncodedParameters {
            return try withQueryOrForm(request, parameters)
        }
        guard let parameters = parameters.flatMap(ParameterShape.unwrapped) else {
            return try withHeaders(request)
        }
        return try withBody(try body(parameters), contentType, request)
    }

    /// The request with the default header fields, a body, and the body's type unless it has one.
    private func withBody(
        _ body: Data, _ contentType: String, _ request: consuming URLRequest
    ) throws -> URLRequest {
        var result = try withHeaders(request)
        if result.value(forHTTPHeaderField: "Content-Type") == nil {
            result.setValue(contentType, forHTTPHeaderField: "Content-Type")
        }
        result.httpBody = body
        return result
    }

    private func query(of parameters: Any?, for request: URLRequest) throws -> String? {
        guard let parameters = parameters.flatMap(ParameterShape.unwrapped) else { return nil }
        if let queryBlock { return try queryBlock(request, parameters) }
        return try QueryString.text(of: parameters, encoding: stringEncoding)
    }
}

/// Default header fields, checked and written to a request once, since many requests have the same.
private struct HeaderFields {
    static let ofThisProcess = HeaderFields(DefaultHeaders.all)

    let headers: [String: String]
    /// The fields with the names as Foundation spells them.
    let asSent: [String: String]
    /// Why they cannot be sent.
    let defect: (any Error)?

    init(_ headers: [String: String]) {
        self.headers = headers
        do {
            for (field, value) in headers { try RequestSerializationError.checkField(field, value) }
            defect = nil
        } catch {
            defect = error
        }
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        for (field, value) in headers {
            request.setValue(value, forHTTPHeaderField: field)
        }
        asSent = request.allHTTPHeaderFields ?? [:]
    }
}

/// Gives access to a deprecated property, which AFNetworking has, without a warning.
protocol Pipelining {
    var httpShouldUsePipelining: Bool { get set }
}

extension URLRequest: Pipelining {
    mutating func setPipelining(_ usesPipelining: Bool) {
        func set(_ request: inout some Pipelining) {
            request.httpShouldUsePipelining = usesPipelining
        }
        set(&self)
    }
}

// MARK: - Multipart

extension RequestSettings {
    /// The request with the parameters as parts, in the order of a query string, and then the parts of the block.
    /// Without any part the request is not changed.
    ///
    /// - Parameter boundaries: called again while the boundary that it returns occurs in a part.
    /// - Throws: `MultipartError` for a parameter that cannot be written in `stringEncoding` and for a refused part;
    ///   `RequestSerializationError` for parameters nested too deeply.
    func withParts(
        _ request: URLRequest, _ parameters: [String: Any]?,
        _ constructingBody: ((any MultipartFormData) -> Void)?,
        boundaries: () -> MultipartBoundary = MultipartBoundary.random
    ) throws -> URLRequest {
        let form = StreamingMultipartFormData()
        for pair in try QueryString.pairs(of: parameters) {
            form.appendPart(formData: try bytes(of: pair), name: pair.field)
        }
        constructingBody?(form)
        return try form.request(from: request, boundaries: boundaries)
    }

    /// The bytes of a parameter. AFNetworking drops a value that cannot be encoded; here it is an error.
    private func bytes(of pair: QueryString.Pair) throws(MultipartError) -> Data {
        switch pair.value {
        case .null:
            return Data()
        case .data(let data):
            return data
        case .text(let text):
            guard let data = TextEncoding.data(text, stringEncoding) else {
                throw MultipartError(
                    .unencodableParameter,
                    "The parameter \"\(pair.field)\" cannot be written in the encoding "
                        + "\(stringEncoding).")
            }
            return data
        }
    }
}

// MARK: - Archiving

/// Archives every setting but the query block, under the names of AFNetworking's properties.
extension RequestSettings {
    /// - Returns: nil if the header fields cannot be read. Other settings that are missing have their defaults.
    init?(coder: NSCoder) {
        self.init()
        func number<Value: RawRepresentable<UInt>>(_ key: String) -> Value? {
            coder.integer(key).flatMap { Value(rawValue: UInt(bitPattern: $0)) }
        }
        if coder.containsValue(forKey: Key.headers) {
            guard let fields = coder.value([String: String].self, forKey: Key.headers) else {
                return nil
            }
            headers = fields
        }
        methodsInURI = coder.value(Set.self, forKey: Key.methodsInURI) ?? methodsInURI
        stringEncoding = number(Key.stringEncoding) ?? stringEncoding
        allowsCellularAccess = coder.bool(Key.allowsCellularAccess)
        cachePolicy = number(Key.cachePolicy)
        handlesCookies = coder.bool(Key.handlesCookies)
        usesPipelining = coder.bool(Key.usesPipelining)
        networkServiceType = number(Key.networkServiceType)
        timeoutInterval = coder.double(Key.timeoutInterval)
        writingOptions = number(Key.writingOptions) ?? writingOptions
        format = number(Key.format) ?? format
        writeOptions = coder.integer(Key.writeOptions) ?? writeOptions
    }

    func encode(with coder: NSCoder) {
        func encode(_ number: UInt?, _ key: String) {
            if let number { coder.encode(Int(bitPattern: number), forKey: key) }
        }
        func encode(_ flag: Bool?, _ key: String) {
            if let flag { coder.encode(flag, forKey: key) }
        }
        coder.encode(value: methodsInURI, forKey: Key.methodsInURI)
        coder.encode(value: headers, forKey: Key.headers)
        encode(stringEncoding.rawValue, Key.stringEncoding)
        encode(allowsCellularAccess, Key.allowsCellularAccess)
        encode(cachePolicy?.rawValue, Key.cachePolicy)
        encode(handlesCookies, Key.handlesCookies)
        encode(usesPipelining, Key.usesPipelining)
        encode(networkServiceType?.rawValue, Key.networkServiceType)
        if let timeoutInterval { coder.encode(timeoutInterval, forKey: Key.timeoutInterval) }
        encode(writingOptions.rawValue, Key.writingOptions)
        encode(format.rawValue, Key.format)
        coder.encode(writeOptions, forKey: Key.writeOptions)
    }

    private enum Key {
        static let methodsInURI = "HTTPMethodsEncodingParametersInURI"
        static let headers = "mutableHTTPRequestHeaders"
        static let stringEncoding = "stringEncoding"
        static let allowsCellularAccess = "allowsCellularAccess"
        static let cachePolicy = "cachePolicy"
        static let handlesCookies = "HTTPShouldHandleCookies"
        static let usesPipelining = "HTTPShouldUsePipelining"
        static let networkServiceType = "networkServiceType"
        static let timeoutInterval = "timeoutInterval"
        static let writingOptions = "writingOptions"
        static let format = "format"
        static let writeOptions = "writeOptions"
    }
}

/// The header fields that a new request serializer has.
enum DefaultHeaders {
    /// `Accept-Language` and `User-Agent` of this process.
    static let all = [
        "Accept-Language": acceptLanguage(Locale.preferredLanguages),
        "User-Agent": userAgent(
            program: ProcessInfo.processInfo.processName,
            version: info("CFBundleShortVersionString") ?? info("CFBundleVersion"),
            system: ProcessInfo.processInfo.operatingSystemVersionString),
    ]

    /// The first six languages, each with a quality value that is 0.1 lower than that of the one before.
    static func acceptLanguage(_ languages: [String]) -> String {
        zip(languages, ["1", "0.9", "0.8", "0.7", "0.6", "0.5"])
            .map { "\($0);q=\($1)" }
            .joined(separator: ", ")
    }

    /// `program/version (system)` in ASCII (RFC 9110 section 10.1.5), or `program (system)` if the version is not
    /// known.
    static func userAgent(program: String, version: String?, system: String) -> String {
        let product = [program, version].compactMap(\.self).map(token).filter { !$0.isEmpty }
        let name = product.isEmpty ? "unknown" : product.joined(separator: "/")
        return "\(name) (\(comment(system)))"
    }

    private static func info(_ key: String) -> String? {
        Bundle.main.infoDictionary?[key] as? String
    }

    /// Replaces each character that a token cannot have by a hyphen.
    private static func token(_ text: String) -> String {
        String(
            ascii(text).map { character in
                character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character)
                    ? character : "-"
            })
    }

    /// Removes what the text of a comment cannot have: backslashes, and parentheses that are not balanced.
    private static func comment(_ text: String) -> String {
        let plain = ascii(text).filter { $0 != "\\" }
        var depth = 0
        for character in plain where "()".contains(character) {
            depth += character == "(" ? 1 : -1
            if depth < 0 { break }
        }
        return depth == 0 ? plain : plain.filter { !"()".contains($0) }
    }

    private static func ascii(_ text: String) -> String {
        // Not transformed if it is ASCII already, because the transform is slow.
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let latin =
            isASCII
            ? nil
            : text.applyingTransform(
                StringTransform("Any-Latin; Latin-ASCII; [:^ASCII:] Remove"), reverse: false)
        return (latin ?? text).filter { $0.isASCII && (" "..."~").contains($0) }
    }
}
