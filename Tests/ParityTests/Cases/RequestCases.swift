import Foundation
import FoundationNetworking

@testable import OperationNetworking

/// What the request serializers make of a recorded input.
enum RequestCases {
    /// A request as the recordings describe one, or the error.
    enum Outcome {
        case request([String: GoldenValue])
        case failure(NSError)
    }

    static func outcome(_ input: GoldenValue) -> Outcome {
        do {
            return .request(described(try request(input)))
        } catch {
            return .failure(error as NSError)
        }
    }

    private static func request(_ input: GoldenValue) throws -> URLRequest {
        let serializer = configured(serializer(input), input["config"]?.members ?? [:])
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

    private static func serializer(_ input: GoldenValue) -> HTTPRequestSerializer {
        switch input["serializer"]?.string {
        case "json":
            return JSONRequestSerializer(
                writingOptions: .init(rawValue: UInt(input["writingOptions"]?.int ?? 0)))
        case "plist":
            let number = UInt(input["format"]?.int ?? 100)
            return PropertyListRequestSerializer(
                format: PropertyListSerialization.PropertyListFormat(rawValue: number) ?? .xml)
        default:
            return HTTPRequestSerializer()
        }
    }

    private static func configured(
        _ serializer: HTTPRequestSerializer, _ config: [String: GoldenValue]
    ) -> HTTPRequestSerializer {
        serializer.setValue("en;q=1", forHTTPHeaderField: "Accept-Language")
        serializer.setValue("Oracle/1.0", forHTTPHeaderField: "User-Agent")
        for pair in config["headers"]?.elements.map(\.elements) ?? [] where pair.count == 2 {
            serializer.setValue(pair[1].string, forHTTPHeaderField: pair[0].string ?? "")
        }
        if let pair = config["basic"]?.elements, pair.count == 2 {
            serializer.setAuthorizationHeaderField(
                username: pair[0].string ?? "", password: pair[1].string ?? "")
        }
        if let token = config["token"]?.string {
            serializer.setValue("Token token=\"\(token)\"", forHTTPHeaderField: "Authorization")
        }
        if config["clearAuth"]?.bool == true { serializer.clearAuthorizationHeader() }
        if let seconds = config["timeout"]?.int {
            serializer.timeoutInterval = TimeInterval(seconds)
        }
        if let policy = config["cachePolicy"]?.int.flatMap({
            URLRequest.CachePolicy(rawValue: UInt($0))
        }) {
            serializer.cachePolicy = policy
        }
        if let encoding = config["encoding"]?.int {
            serializer.stringEncoding = String.Encoding(rawValue: UInt(encoding))
        }
        if let methods = config["methodsInURI"]?.elements {
            serializer.httpMethodsEncodingParametersInURI = Set(methods.compactMap(\.string))
        }
        if let block = config["queryBlock"]?.string {
            serializer.setOptionalQueryStringSerialization(queryBlock(block))
        }
        if config["resetStyle"]?.bool == true { serializer.setQueryStringSerialization(nil) }
        guard config["copy"]?.bool == true else { return serializer }
        return serializer.copy() as? HTTPRequestSerializer ?? serializer
    }

    /// The blocks of the recorder, by their names; any other name is the text they give.
    private static func queryBlock(_ name: String) -> RequestSettings.QueryBlock {
        { request, _ in
            switch name {
            case "nil": nil
            case "error": throw NSError(domain: "oracle", code: 42)
            case "desc": "\(request.httpMethod ?? "")|params"
            default: name
            }
        }
    }

    private static func described(_ request: URLRequest) -> [String: GoldenValue] {
        let headers = request.allHTTPHeaderFields ?? [:]
        return [
            "HTTPShouldHandleCookies": .bool(request.httpShouldHandleCookies),
            "bodyBase64": request.httpBody.map { .string($0.base64EncodedString()) } ?? .null,
            "cachePolicy": .int(Int(request.cachePolicy.rawValue)),
            "hasBodyStream": .bool(request.httpBodyStream != nil),
            "headers": .object(headers.mapValues { .string($0) }),
            "method": request.httpMethod.map { .string($0) } ?? .null,
            "timeoutInterval": .int(Int(request.timeoutInterval)),
            "url": request.url.map { .string($0.absoluteString) } ?? .null,
        ]
    }
}
