import CurlConnection
import ParitySupport
import TestSupport

@testable import OperationNetworking

/// What a manager makes of a base and a path (MG-1, MG-2), its defaults, and its copy.
enum BaseURLCases {
    static func outcome(_ recorded: RecordedCase) throws -> GoldenValue {
        let input = recorded.input
        if let name = Set(input.members.keys).subtracting(["base", "params", "path", "what"]).min()
        {
            throw Unplayed("the input's \(name)")
        }
        if isCopy(recorded) { return .object(settings(of: copy(recorded), recorded)) }
        switch input["what"]?.string {
        case nil: return .object(resolution(input))
        case "defaults.request":
            return .object(defaults(HTTPRequestOperationManager().requestSerializer, recorded))
        case "defaults.manager":
            return .object(settings(of: HTTPRequestOperationManager(), recorded))
        case let what?: throw Unplayed(what)
        }
    }

    private static func resolution(_ input: GoldenValue) -> [String: GoldenValue] {
        let manager = RequestCollector(baseURL: input["base"]?.string.flatMap { URL(string: $0) })
        let path = input["path"]?.string ?? ""
        manager.isSuspended = true
        var seen = ["baseURL": text(manager.baseURL)]
        do {
            seen["resolved"] = .string(try RequestPath.resolve(path, against: manager.baseURL))
        } catch {
            seen["error"] = Seen.error(error)
        }
        manager.get(path, parameters: input["params"]?.object, success: nil)
        seen["requestURL"] = manager.requests.withLock { $0.first }.map { text($0.url) }
        manager.cancelAllOperations()
        return seen
    }

    // MARK: Settings

    /// The values of two header fields are the machine's: the program's name, and the first of its
    /// languages. Where they have the form of the recorded ones, they are taken for the same.
    private static func defaults(
        _ serializer: HTTPRequestSerializer, _ recorded: RecordedCase
    ) -> [String: GoldenValue] {
        var headers = serializer.httpRequestHeaders.mapValues { GoldenValue.string($0) }
        let forms = [
            "User-Agent": "^.+/.+ \\(.+\\)$", "Accept-Language": "^[A-Za-z0-9-]+;q=1(, .*)?$",
        ]
        for (name, form) in forms {
            let old = recorded.output["HTTPRequestHeaders"]?[name]
            let isAlike = headers[name]?.string?.range(of: form, options: .regularExpression) != nil
            if let old, isAlike { headers[name] = old }
        }
        return [
            "HTTPRequestHeaders": .object(headers),
            "HTTPShouldHandleCookies": .bool(serializer.httpShouldHandleCookies),
            "HTTPShouldUsePipelining": .bool(serializer.httpShouldUsePipelining),
            "allowsCellularAccess": .bool(serializer.allowsCellularAccess),
            "cachePolicy": .int(Int(serializer.cachePolicy.rawValue)),
            "methodsInURI": texts(serializer.httpMethodsEncodingParametersInURI),
            "stringEncoding": .int(Int(serializer.stringEncoding.rawValue)),
            "timeoutInterval": .int(Int(serializer.timeoutInterval)),
        ]
    }

    /// Those members that the recording has.
    private static func settings(
        of manager: HTTPRequestOperationManager?, _ recorded: RecordedCase
    ) -> [String: GoldenValue] {
        guard let manager else { return [:] }
        let settings: [String: GoldenValue] = [
            "SSLPinningMode": .int(manager.securityPolicy.pinningMode.rawValue),
            "acceptableContentTypes": texts(
                manager.responseSerializer.acceptableContentTypes ?? []),
            "baseURL": text(manager.baseURL),
            "credential": manager.credential == nil ? .null : "some",
            "maxConcurrentOperationCount": .int(manager.maxConcurrentOperationCount),
            "reachability": .string(
                manager.reachabilityManager.localizedNetworkReachabilityStatusString()),
            "requestSerializer": .string("AF\(type(of: manager.requestSerializer))"),
            "responseSerializer": .string("AF\(type(of: manager.responseSerializer))"),
            "shouldUseCredentialStorage": .bool(manager.shouldUseCredentialStorage),
        ]
        return settings.filter { recorded.output[$0.key] != nil }
    }

    private static func texts(_ set: Set<String>) -> GoldenValue {
        .array(set.sorted().map { .string($0) })
    }

    private static func text(_ url: URL?) -> GoldenValue {
        url.map { .string($0.absoluteString) } ?? .null
    }

    // MARK: Copies

    /// Whether it is about the copy of a manager.
    static func isCopy(_ recorded: RecordedCase) -> Bool {
        let what = recorded.input["what"]?.string?.lowercased() ?? ""
        return what.contains("copy") && !what.contains("serializer") && !what.contains("request.")
            && !what.contains(".request")
    }

    /// What the recording says of a copy, with what the original's forgets.
    static func copied(_ recorded: RecordedCase) -> [String: GoldenValue] {
        let kept: [String: GoldenValue] = [
            "credential": "some", "maxConcurrentOperationCount": 3,
            "shouldUseCredentialStorage": false,
        ]
        return recorded.output.members.merging(kept.filter { recorded.output[$0.key] != nil }) {
            $1
        }
    }

    /// The copy of a manager that has what the recorded copy has, and what that forgot.
    private static func copy(_ recorded: RecordedCase) -> HTTPRequestOperationManager? {
        let output = recorded.output
        let manager = HTTPRequestOperationManager(
            baseURL: output["baseURL"]?.string.flatMap { URL(string: $0) })
        if output["requestSerializer"] == "AFJSONRequestSerializer" {
            manager.requestSerializer = JSONRequestSerializer()
        } else if output["requestSerializer"] == "AFPropertyListRequestSerializer" {
            manager.requestSerializer = PropertyListRequestSerializer()
        }
        if output["responseSerializer"] == "AFHTTPResponseSerializer" {
            manager.responseSerializer = HTTPResponseSerializer()
        }
        if let mode = output["SSLPinningMode"]?.int.flatMap(SecurityPolicy.PinningMode.init) {
            manager.securityPolicy = SecurityPolicy(pinningMode: mode)
        }
        manager.credential = URLCredential(user: "u", password: "p", persistence: .none)
        manager.shouldUseCredentialStorage = false
        manager.maxConcurrentOperationCount = 3
        return manager.copy() as? HTTPRequestOperationManager
    }
}

/// A manager that keeps the requests it would send.
private final class RequestCollector: HTTPRequestOperationManager, @unchecked Sendable {
    // @unchecked because it restates the superclass; what it adds guards itself.
    let requests = Locked<[URLRequest]>([])

    override func httpRequestOperation(
        with request: URLRequest, success: Success?, failure: Failure?
    ) -> HTTPRequestOperation {
        requests.withLock { $0.append(request) }
        return super.httpRequestOperation(with: request, success: success, failure: failure)
    }
}
