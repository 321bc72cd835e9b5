import ParitySupport
import TestSupport

@testable import OperationNetworking

/// The request serializer that a recorded input asks for.
enum SerializerInput {
    /// What the input asks for that is not among the names that a case knows, or nil.
    static func unplayed(_ input: GoldenValue, knowing names: Set<String>) -> String? {
        let unknown = Set(input.members.keys).subtracting(names)
        if let name = unknown.min() { return "the input's \(name)" }
        let settings = input["config"]?.members.keys.filter { Self.setting(of: $0) == nil } ?? []
        return settings.min().map { "the configuration's \($0)" }
    }

    static func serializer(_ input: GoldenValue) -> HTTPRequestSerializer {
        let serializer = plain(input)
        serializer.setValue("en;q=1", forHTTPHeaderField: "Accept-Language")
        serializer.setValue("Oracle/1.0", forHTTPHeaderField: "User-Agent")
        // What is cleared or brought back was set before.
        let config = (input["config"]?.members ?? [:]).compactMap { name, value in
            setting(of: name).map { (setting: $0, value: value) }
        }
        for (setting, value) in config.sorted(by: { $0.setting < $1.setting }) {
            setting.apply(value, serializer)
        }
        guard input["config"]?["copy"] == true else { return serializer }
        return serializer.copy() as? HTTPRequestSerializer ?? serializer
    }

    private static func plain(_ input: GoldenValue) -> HTTPRequestSerializer {
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

    // MARK: Settings

    /// A member of a configuration, in the order in which they are applied.
    fileprivate enum Setting: Int, Comparable {
        case headers, basic, token, timeout, cachePolicy, cookies, cellular, pipelining
        case encoding, methodsInURI, queryBlock, clearAuth, resetStyle, copy

        static func < (one: Setting, other: Setting) -> Bool { one.rawValue < other.rawValue }
    }

    /// Nil for a name that nothing is known of.
    private static func setting(of name: String) -> Setting? {
        switch name {
        case "headers": .headers
        case "basic": .basic
        case "token": .token
        case "timeout", "timeoutInterval": .timeout
        case "cachePolicy": .cachePolicy
        case "cookies", "handleCookies", "shouldHandleCookies", "HTTPShouldHandleCookies":
            .cookies
        case "cellular", "allowsCellularAccess": .cellular
        case "pipelining", "usePipelining", "HTTPShouldUsePipelining": .pipelining
        case "encoding", "stringEncoding": .encoding
        case "methodsInURI": .methodsInURI
        case "queryBlock": .queryBlock
        case "clearAuth": .clearAuth
        case "resetStyle": .resetStyle
        case "copy": .copy
        default: nil
        }
    }

    /// The text of the configured query block, if it gives one.
    static func blockText(_ input: GoldenValue) -> String? {
        let config = input["config"]
        guard config?["resetStyle"] != true else { return nil }
        return switch config?["queryBlock"]?.string {
        case nil, "nil", "error": nil
        case "desc": "\(RequestRules.knownMethod(input["method"]?.string ?? ""))|params"
        case let text: text
        }
    }
}

extension SerializerInput.Setting {
    fileprivate func apply(_ value: GoldenValue, _ serializer: HTTPRequestSerializer) {
        switch self {
        case .headers:
            for pair in value.elements.map(\.elements) where pair.count == 2 {
                serializer.setValue(pair[1].string, forHTTPHeaderField: pair[0].string ?? "")
            }
        case .basic:
            let pair = value.elements.map { $0.string ?? "" }
            guard pair.count == 2 else { return }
            serializer.setAuthorizationHeaderField(username: pair[0], password: pair[1])
        case .token:
            serializer.setValue(
                "Token token=\"\(value.string ?? "")\"", forHTTPHeaderField: "Authorization")
        case .timeout:
            serializer.timeoutInterval = value.number ?? 0
        case .cachePolicy:
            serializer.cachePolicy =
                value.int.flatMap { .init(rawValue: UInt($0)) } ?? serializer.cachePolicy
        case .cookies:
            serializer.httpShouldHandleCookies = value.isTrue
        case .cellular:
            serializer.allowsCellularAccess = value.isTrue
        case .pipelining:
            serializer.httpShouldUsePipelining = value.isTrue
        case .encoding:
            serializer.stringEncoding = String.Encoding(rawValue: UInt(value.int ?? 4))
        case .methodsInURI:
            serializer.httpMethodsEncodingParametersInURI = Set(value.elements.compactMap(\.string))
        case .queryBlock:
            serializer.setOptionalQueryStringSerialization(Self.queryBlock(value.string ?? ""))
        case .clearAuth:
            if value.isTrue { serializer.clearAuthorizationHeader() }
        case .resetStyle:
            if value.isTrue { serializer.setQueryStringSerialization(nil) }
        case .copy:
            break
        }
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
}

/// A request in the recorder's form, but for its body.
enum RequestSeen {
    static func members(_ request: URLRequest) -> [String: GoldenValue] {
        [
            "HTTPShouldHandleCookies": .bool(request.httpShouldHandleCookies),
            "cachePolicy": .int(Int(request.cachePolicy.rawValue)),
            "hasBodyStream": .bool(request.httpBodyStream != nil),
            "method": request.httpMethod.map { .string($0) } ?? .null,
            "timeoutInterval": seconds(request.timeoutInterval),
            "url": request.url.map { .string($0.absoluteString) } ?? .null,
        ]
    }

    /// Whole seconds as a whole number, as the recorder wrote them.
    private static func seconds(_ interval: TimeInterval) -> GoldenValue {
        Int(exactly: interval).map(GoldenValue.int) ?? .double(interval)
    }

    /// The body that is no stream.
    static func body(_ request: URLRequest) -> GoldenValue {
        request.httpBody.map { .string($0.base64EncodedString()) } ?? .null
    }
}

extension GoldenValue {
    /// Yes, in any of the recorder's forms.
    var isTrue: Bool { (object as? NSNumber)?.boolValue ?? false }
}
