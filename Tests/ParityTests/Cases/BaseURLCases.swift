import CurlConnection
import Foundation
import FoundationNetworking
import Testing

@testable import OperationNetworking

/// What a manager makes of a base and a path (MG-1, MG-2), and its defaults.
enum BaseURLCases {
    /// The base on which Foundation's resolution differs from the recorder's, by what it is about.
    private static let foundation: [(reason: String, covers: @Sendable (String, String) -> Bool)] =
        [
            (
                "Dots at the root are removed, as RFC 3986 section 5.2.4 says.",
                { $1.contains("..") }
            ),
            (
                "A path joined to an empty one is normalized as RFC 3986 section 5.2.4 says.",
                { base, path in
                    URL(string: base)?.path.isEmpty == true && path.hasPrefix(".")
                        || path.contains("/../")
                }
            ),
            (
                "A base without a scheme has no host to resolve against.",
                { base, _ in !base.contains(":") }
            ),
        ]

    static func verdict(_ recorded: RecordedCase) -> ParityTally.Verdict {
        if let what = recorded.input["what"]?.string {
            return verdict(recorded.output, defaults(what))
        }
        let base = recorded.input["base"]?.string
        let path = recorded.input["path"]?.string ?? ""
        let seen = outcome(base, path, recorded.input["params"]?.object)
        if recorded.output["exception"] != nil {
            // The original stopped the program; here it is a failure (wound 38).
            return seen["error"] == "com.alamofire.error.serialization.request -1000"
                ? .deliberate : .other("\(seen), recorded as an exception")
        }
        let expected = recorded.output.members.mapValues { $0.string ?? "null" }
        if seen == expected { return .equal }
        if let fragment = path.split(separator: "#").dropFirst().last,
            recorded.input["params"] != nil, seen["resolved"] == expected["resolved"],
            seen["requestURL"]?.hasSuffix("#\(fragment)") == true
        {
            // The query goes before the fragment (wound 59).
            return .deliberate
        }
        if recorded.isFoundations, foundation.contains(where: { $0.covers(base ?? "", path) }) {
            return .foundation
        }
        return .other("\(seen), recorded as \(expected)")
    }

    private static func outcome(_ base: String?, _ path: String, _ parameters: Any?)
        -> [String: String]
    {
        let manager = RequestCollector(baseURL: base.flatMap { URL(string: $0) })
        manager.isSuspended = true
        var seen = ["baseURL": manager.baseURL?.absoluteString ?? "null"]
        do {
            seen["resolved"] = try RequestPath.resolve(path, against: manager.baseURL)
        } catch {
            let error = error as NSError
            seen["error"] = "\(error.domain) \(error.code)"
        }
        manager.get(path, parameters: parameters)
        seen["requestURL"] = manager.requests.withLock { $0.first?.url?.absoluteString }
        manager.cancelAllOperations()
        return seen
    }

    // MARK: Defaults

    private static func defaults(_ what: String) -> [String: GoldenValue] {
        let manager = HTTPRequestOperationManager()
        let serializer = manager.requestSerializer
        switch what {
        case "defaults.request":
            var headers = serializer.httpRequestHeaders
            if headers["User-Agent"]?.isEmpty == false { headers["User-Agent"] = "any" }
            if headers["Accept-Language"]?.contains(";q=1") == true {
                headers["Accept-Language"] = "any"
            }
            return [
                "HTTPRequestHeaders": .object(headers.mapValues { .string($0) }),
                "HTTPShouldHandleCookies": .bool(serializer.httpShouldHandleCookies),
                "HTTPShouldUsePipelining": .bool(serializer.httpShouldUsePipelining),
                "allowsCellularAccess": .bool(serializer.allowsCellularAccess),
                "cachePolicy": .int(Int(serializer.cachePolicy.rawValue)),
                "methodsInURI": texts(serializer.httpMethodsEncodingParametersInURI),
                "stringEncoding": .int(Int(serializer.stringEncoding.rawValue)),
                "timeoutInterval": .int(Int(serializer.timeoutInterval)),
            ]
        case "defaults.manager":
            return [
                "SSLPinningMode": .int(manager.securityPolicy.pinningMode.rawValue),
                "acceptableContentTypes": texts(
                    manager.responseSerializer.acceptableContentTypes ?? []),
                "baseURL": manager.baseURL.map { .string($0.absoluteString) } ?? .null,
                "credential": manager.credential == nil ? .null : .string("some"),
                "maxConcurrentOperationCount": .int(manager.maxConcurrentOperationCount),
                "reachability": .string(
                    manager.reachabilityManager.localizedNetworkReachabilityStatusString()),
                "requestSerializer": .string("AF\(type(of: serializer))"),
                "responseSerializer": .string("AF\(type(of: manager.responseSerializer))"),
                "shouldUseCredentialStorage": .bool(manager.shouldUseCredentialStorage),
            ]
        default:
            return [:]
        }
    }

    private static func texts(_ set: Set<String>) -> GoldenValue {
        .array(set.sorted().map { .string($0) })
    }

    /// The values of two header fields are the machine's.
    private static func verdict(_ recorded: GoldenValue, _ seen: [String: GoldenValue])
        -> ParityTally.Verdict
    {
        var expected = recorded.members
        if case .object(var headers)? = expected["HTTPRequestHeaders"] {
            for name in ["User-Agent", "Accept-Language"] where headers[name] != nil {
                headers[name] = "any"
            }
            expected["HTTPRequestHeaders"] = .object(headers)
        }
        return seen == expected ? .equal : .other("\(seen), recorded as \(expected)")
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

@Suite("Recorded base URLs", .timeLimit(.minutes(5)))
struct BaseURLParityTests {
    @Test("Every recorded base and path gives the recorded URL, or differs for a listed reason")
    func parity() throws {
        let file = try GoldenFile("base-url")
        var tally = ParityTally(file.name)
        for recorded in file.cases {
            tally.add(recorded.id, BaseURLCases.verdict(recorded))
        }
        print(tally.line)
        for other in tally.others {
            Issue.record("\(other.id): \(other.difference)")
        }
        #expect(tally.equal > 0)
    }
}
