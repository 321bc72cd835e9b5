import Foundation
import FoundationNetworking

/// All settings of a request serializer as one value, which one request sees.
struct RequestSettings {
    typealias QueryBlock = @Sendable (_ request: URLRequest, _ parameters: Any) throws -> String?

    var stringEncoding = String.Encoding.utf8
    var methodsInURI: Set<String> = ["GET", "HEAD", "DELETE"]
    var queryBlock: QueryBlock?
    private var defaults = HeaderFields.ofThisProcess
    /// The list of header fields and the fields that are sent come from one value.
    var headers: [String: String] {
        get { defaults.headers }
        set { defaults = HeaderFields(newValue) }
    }

    // Nil until set; requests get only settings that were set (RQ-3).
    var allowsCellularAccess: Bool?
    var cachePolicy: URLRequest.CachePolicy?
    var handlesCookies: Bool?
    var usesPipelining: Bool?
    var networkServiceType: URLRequest.NetworkServiceType?
    var timeoutInterval: TimeInterval?

    // Settings of the subclasses; here, so that one lock and one snapshot cover them all.
    var writingOptions: JSONSerialization.WritingOptions = []
    var format = PropertyListSerialization.PropertyListFormat.xml
    var writeOptions: PropertyListSerialization.WriteOptions = 0

    /// Nil removes the field. Names are compared without case and keep their first spelling.
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

    /// Whether parameters of such a request go into its URL. The method is converted to upper case
    /// and looked up; the set is used unchanged.
    func writesQuery(of request: URLRequest) -> Bool {
        methodsInURI.contains((request.httpMethod ?? "GET").uppercased())
    }
}

// MARK: - Into a request

extension RequestSettings {
    /// A request with those of the six properties that were set.
    func request(_ method: String, _ url: URL) -> URLRequest {
        var request = URLRequest(url: url)
        // The assignment is skipped for GET, because the setter compares the method with all known
        // ones.
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

    /// The request with the parameters in its URL or, by its method, in a form body (RQ-7 to RQ-9).
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

    /// The request with the header fields it lacks (RQ-4).
    ///
    /// - Throws: for a field that cannot be sent; Foundation would leave it out without an error.
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

    /// The request with a query, or with the body that a closure makes of parameters; without any
    /// there is neither body nor type.
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

    /// The request with its header fields, a body, and the body's type unless it has one already.
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

/// Header fields by name, as a request holds them: Foundation changes the spelling of names.
private struct HeaderFields {
    static let ofThisProcess = HeaderFields(DefaultHeaders.all)

    let headers: [String: String]
    let asSent: [String: String]
    /// Why they cannot be sent; looked for once, since many requests have the same fields.
    let defect: (any Error)?

    init(_ headers: [String: String]) {
        self.headers = headers
        do {
            for (field, value) in headers { try RequestSerializationError.check(field, value) }
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

/// Reaches a deprecated property without a warning: HTTP/1 pipelining is deprecated, but the
/// original has it.
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
