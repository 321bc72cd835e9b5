import ParitySupport
import TestSupport

@testable import RequestEra

/// request-parameters.json: encodings, conversions, and the requests that managers make.
enum ParameterCases {
    static func play(_ recorded: RecordedCase) throws -> GoldenValue {
        let input = recorded.input
        if input["kind"] != nil { return encoded(input) }
        if let text = input["string"], input["calls"] != nil { return try ManagerCases.url(text) }
        if let text = input["string"] { return escaped(try text.swiftValue() as? String ?? "") }
        if input["call"] != nil { return try ManagerCases.request(input) }
        if let value = input["value"] { return try components(input, value) }
        if let name = input["components"]?.string { return try ManagerCases.components(name) }
        if let user = input["user"]?.string { return ManagerCases.authorization(user, input) }
        if recorded.id == "constants" { return ManagerCases.constants }
        guard recorded.id.hasPrefix("urlrequest/") else { throw Unplayed(recorded.id) }
        let request = try URLRequest(
            url: input["url"]?.string ?? "", method: ManagerCases.method(input),
            headers: ManagerCases.headers(input))
        return .object(members(of: request))
    }

    /// A request as the recordings have it.
    static func members(of request: URLRequest) -> [String: GoldenValue] {
        [
            "url": SeenValue.text(request.url?.absoluteString),
            "method": SeenValue.text(request.httpMethod),
            "headers": .object((request.allHTTPHeaderFields ?? [:]).mapValues { .string($0) }),
            "body": SeenValue.data(request.httpBody),
        ]
    }

    // MARK: - Encodings

    private static func encoded(_ input: GoldenValue) -> GoldenValue {
        do {
            return .object(members(of: try encodedRequest(input)))
        } catch {
            return ["error": SeenValue.error(error)]
        }
    }

    private static func encodedRequest(_ input: GoldenValue) throws -> URLRequest {
        let request = try given(input["request"] ?? .null)
        let kind = input["kind"]?.string ?? ""
        let parts = kind.components(separatedBy: ".encode")
        if let object = input["object"] {
            guard parts.last == "(_:withJSONObject:)", let encoding = json(parts[0]) else {
                throw Unplayed(kind)
            }
            return try encoding.encode(request, withJSONObject: try object.swiftValue())
        }
        let encoding = try encoding(parts[0], input["encoding"])
        let parameters = input["parameters"] ?? .absent
        return try encoding.encode(
            request, with: parameters.isNil ? nil : try parameters.swiftMembers())
    }

    /// The request that is given to the encoding.
    private static func given(_ input: GoldenValue) throws -> URLRequest {
        let text = input["url"]?.string ?? "https://example.com/"
        guard let url = URL(string: text) else { throw Unplayed("the URL \(text)") }
        var request = URLRequest(url: url)
        request.httpMethod = input["method"]?.string
        for (name, value) in input["headers"]?.members ?? [:] {
            request.setValue(value.string, forHTTPHeaderField: name)
        }
        let body = input["body"] ?? .absent
        if !body.isNil {
            request.httpBody = body["base64"]?.string.flatMap { Data(base64Encoded: $0) }
        }
        // Foundation on Linux stops the process when a request without a URL is changed.
        if input["url"]?.isNil == true { request.url = nil }
        return request
    }

    private static func json(_ kind: String) -> JSONEncoding? {
        switch kind {
        case "JSONEncoding.default": .default
        case "JSONEncoding.prettyPrinted": .prettyPrinted
        case "JSONEncoding(options: .sortedKeys)": JSONEncoding(options: .sortedKeys)
        default: nil
        }
    }

    private static func encoding(
        _ kind: String, _ settings: GoldenValue?
    ) throws -> any ParameterEncoding {
        if let encoding = json(kind) { return encoding }
        switch kind {
        case "PropertyListEncoding.default": return PropertyListEncoding.default
        case "PropertyListEncoding.xml": return PropertyListEncoding.xml
        case "PropertyListEncoding.binary": return PropertyListEncoding.binary
        case "URLEncoding": return try urlEncoding(settings ?? [:])
        default: throw Unplayed(kind)
        }
    }

    private static func urlEncoding(_ settings: GoldenValue) throws -> URLEncoding {
        let destinations: [String: URLEncoding.Destination] = [
            "methodDependent": .methodDependent, "queryString": .queryString, "httpBody": .httpBody,
        ]
        let arrays: [String: URLEncoding.ArrayEncoding] = [
            "brackets": .brackets, "noBrackets": .noBrackets,
        ]
        let bools: [String: URLEncoding.BoolEncoding] = ["numeric": .numeric, "literal": .literal]
        guard
            let destination = destinations[settings["destination"]?.string ?? "methodDependent"],
            let array = arrays[settings["arrayEncoding"]?.string ?? "brackets"],
            let bool = bools[settings["boolEncoding"]?.string ?? "numeric"]
        else { throw Unplayed("\(settings)") }
        return URLEncoding(destination: destination, arrayEncoding: array, boolEncoding: bool)
    }

    private static func components(
        _ input: GoldenValue, _ value: GoldenValue
    ) throws -> GoldenValue {
        let components = try urlEncoding(input).queryComponents(
            fromKey: input["key"]?.string ?? "", value: try value.swiftValue() ?? NSNull())
        return ["components": .array(components.map { [.string($0), .string($1)] })]
    }

    private static func escaped(_ text: String) -> GoldenValue {
        let escaped = URLEncoding.default.escape(text)
        if escaped.utf8.count <= 400 { return ["escaped": .string(escaped)] }
        return [
            "escapedCount": .int(escaped.utf8.count),
            "escapedFNV": .string(SeenValue.hash(escaped.utf8)),
        ]
    }
}
