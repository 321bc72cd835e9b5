import ParitySupport
import TestSupport

@testable import OperationNetworking

/// What the request serializers make of a recorded input.
enum RequestCases {
    private static let names: Set = [
        "config", "format", "method", "params", "serializeRequest", "serializer", "url",
        "writingOptions",
    ]

    static func outcome(_ input: GoldenValue) throws -> GoldenValue {
        if let what = SerializerInput.unplayed(input, knowing: names) { throw Unplayed(what) }
        if let what = unsayable(input) { return .unsayable(what) }
        do {
            let request = try request(input)
            var members = RequestSeen.members(request)
            members["bodyBase64"] = RequestSeen.body(request)
            members["headers"] = .object(
                (request.allHTTPHeaderFields ?? [:]).mapValues { .string($0) })
            return .object(members)
        } catch {
            return .failure(Seen.error(error))
        }
    }

    /// What is nil although its type forbids it; nil if nothing is.
    static func unsayable(_ input: GoldenValue) -> String? {
        if input["method"]?.isNil == true { return "a nil method" }
        if input["url"]?.isNil == true { return "a nil URL" }
        let basic = input["config"]?["basic"]?.elements ?? []
        return basic.contains { $0.isNil } ? "a nil user name or password" : nil
    }

    private static func request(_ input: GoldenValue) throws -> URLRequest {
        let serializer = SerializerInput.serializer(input)
        let method = input["method"]?.string ?? ""
        let urlString = input["url"]?.string ?? ""
        let parameters = input["params"]?.object
        guard let headers = input["serializeRequest"]?.elements else {
            return try serializer.request(
                method: method, urlString: urlString, parameters: parameters)
        }
        guard let url = URL(string: urlString) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = method
        for pair in headers.map(\.elements) where pair.count == 2 {
            request.setValue(pair[1].string, forHTTPHeaderField: pair[0].string ?? "")
        }
        return try serializer.request(bySerializing: request, with: parameters)
    }
}
