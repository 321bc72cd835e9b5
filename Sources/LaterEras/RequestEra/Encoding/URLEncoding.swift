import CoreFoundation
import Foundation
public import FoundationNetworking
import OperationNetworking

/// Writes parameters as a query: into the URL, or into the body as a form.
///
/// Keys are sorted at every level.
public struct URLEncoding: ParameterEncoding, Sendable {
    /// Where the query goes.
    public enum Destination: Sendable {
        /// Into the URL for GET, HEAD and DELETE, else into the body.
        case methodDependent
        /// Into the URL, after the query that is there. A method that is no case of `HTTPMethod`
        /// puts it into the body even so.
        case queryString
        /// Into the body.
        case httpBody
    }

    /// How the key of an array's elements is written.
    public enum ArrayEncoding: Sendable {
        /// `key[]`
        case brackets
        /// `key`
        case noBrackets

        func encode(key: String) -> String {
            switch self {
            case .brackets: "\(key)[]"
            case .noBrackets: key
            }
        }
    }

    /// How a truth value is written.
    public enum BoolEncoding: Sendable {
        /// `1` and `0`
        case numeric
        /// `true` and `false`
        case literal

        func encode(value: Bool) -> String {
            switch self {
            case .numeric: value ? "1" : "0"
            case .literal: value ? "true" : "false"
            }
        }
    }

    /// `methodDependent`.
    public static var `default`: URLEncoding { URLEncoding() }
    /// `methodDependent`.
    public static var methodDependent: URLEncoding { URLEncoding() }
    /// Into the URL.
    public static var queryString: URLEncoding { URLEncoding(destination: .queryString) }
    /// Into the body.
    public static var httpBody: URLEncoding { URLEncoding(destination: .httpBody) }

    /// Where the query goes.
    public let destination: Destination
    /// How the key of an array's elements is written.
    public let arrayEncoding: ArrayEncoding
    /// How a truth value is written.
    public let boolEncoding: BoolEncoding

    /// An encoding of these choices.
    public init(
        destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric
    ) {
        self.destination = destination
        self.arrayEncoding = arrayEncoding
        self.boolEncoding = boolEncoding
    }

    /// Returns the request with the parameters.
    ///
    /// Nil parameters change nothing. Empty ones leave the URL as it is, but make the body empty
    /// and set its type.
    ///
    /// - Throws: `AFError.parameterEncodingFailed(reason: .missingURL)`.
    public func encode(
        _ urlRequest: any URLRequestConvertible, with parameters: Parameters?
    ) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        // Foundation on Linux stops the process when a request without a URL is changed.
        guard let url = request.url else {
            throw AFError.parameterEncodingFailed(reason: .missingURL)
        }
        if let method = HTTPMethod(rawValue: request.httpMethod ?? "GET"), goesIntoURL(method) {
            if !parameters.isEmpty, let url = Self.url(url, adding: query(parameters)) {
                request.url = url
            }
            return request
        }
        request.setContentType("application/x-www-form-urlencoded; charset=utf-8")
        request.httpBody = Data(query(parameters).utf8)
        return request
    }

    /// The escaped key and value, or those of a container's members.
    ///
    /// Members of a dictionary have the key `key[member]`, elements of an array the key that
    /// `arrayEncoding` says. A number is a truth value only if it was made from one.
    public func queryComponents(fromKey key: String, value: Any) -> [(String, String)] {
        switch value {
        case let members as [String: Any]:
            members.sorted { $0.key < $1.key }
                .flatMap { queryComponents(fromKey: "\(key)[\($0.key)]", value: $0.value) }
        case let elements as [Any]:
            elements.flatMap {
                queryComponents(fromKey: arrayEncoding.encode(key: key), value: $0)
            }
        default:
            [(escape(key), escape(text(of: value)))]
        }
    }

    /// Everything but letters, digits and `-._~/?` as `%` and two digits.
    public func escape(_ string: String) -> String { PercentEscape.escaped(string) }

    private func goesIntoURL(_ method: HTTPMethod) -> Bool {
        switch destination {
        case .queryString: true
        case .httpBody: false
        case .methodDependent: [.get, .head, .delete].contains(method)
        }
    }

    private func query(_ parameters: Parameters) -> String {
        parameters.sorted { $0.key < $1.key }
            .flatMap { queryComponents(fromKey: $0.key, value: $0.value) }
            .map { "\($0)=\($1)" }.joined(separator: "&")
    }

    private func text(of value: Any) -> String {
        TruthValue.of(value).map(boolEncoding.encode)
            ?? ParameterText.floatingPoint(value) ?? "\(value)"
    }

    /// The query comes after the one that is there, and before the fragment.
    private static func url(_ url: URL, adding query: String) -> URL? {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let before = components?.percentEncodedQuery.map { $0 + "&" } ?? ""
        components?.percentEncodedQuery = before + query
        return components?.url
    }
}

extension URLRequest {
    mutating func setContentType(_ type: String) {
        guard value(forHTTPHeaderField: "Content-Type") == nil else { return }
        setValue(type, forHTTPHeaderField: "Content-Type")
    }
}

/// Distinguishes truth values from numbers.
enum TruthValue {
    /// The truth value, if it is one: a `Bool`, or an `NSNumber` that was made from one.
    static func of(_ value: Any) -> Bool? {
        // A Swift number is cast to `Bool` by its value: 1 would be true.
        if type(of: value) == Bool.self { return value as? Bool }
        guard let number = value as? NSNumber, type(of: value) is NSNumber.Type,
            CFGetTypeID(number) == CFBooleanGetTypeID()
        else { return nil }
        return number.boolValue
    }
}
