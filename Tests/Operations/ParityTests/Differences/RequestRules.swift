import ParitySupport
import TestSupport

/// Why requests differ from their recordings, and how exactly.
enum RequestRules {
    static let all: [CaseRule] = [
        CaseRule(.wound(38), "Text that is no URL is an error, not an exception.") {
            guard isException($0, of: "url"), let text = $0.input["url"]?.string else {
                return nil
            }
            return noURL(text)
        },
        CaseRule(.wound(38), "An empty text is no URL.") {
            $0.isFoundations && $0.input["url"] == "" && $0.output["exception"] == nil
                ? noURL("") : nil
        },
        CaseRule(.wound(38), "Nil in place of text cannot be said in Swift.") { recorded in
            RequestCases.unsayable(recorded.input).map { .unsayable($0) }
        },
        CaseRule(.wound(39), "A value that JSON lacks is an error, not an exception.") {
            guard $0.output["exception"] == "NSInvalidArgumentException",
                $0.input["serializer"] == "json"
            else { return nil }
            return UnwritableValue.json($0.input["params"]).map { .failure(1, $0) }
        },
        CaseRule(.wound(41), "A value that property lists lack: an error and no request.") {
            guard $0.output["error"]?["code"] == 3851, $0.output["bodyBase64"] == .null,
                $0.input["serializer"] == "plist"
            else { return nil }
            return UnwritableValue.propertyList($0.input["params"]).map { .failure(1, $0) }
        },
        CaseRule(.wound(41), "A query block that spoils the URL: an error, no request.") {
            guard $0.output["url"] == .null, let url = $0.input["url"]?.string,
                let query = SerializerInput.blockText($0.input)
            else { return nil }
            return noURL(QueryText.adding(query, to: url))
        },
        CaseRule(.wound(59), "The query goes before the fragment.") {
            guard let url = $0.input["url"]?.string, let recorded = $0.output["url"]?.string,
                let moved = QueryText.moved(recorded, from: url)
            else { return nil }
            return changed($0, ["url": .string(moved)])
        },
        CaseRule(.wound(60), "The query's bytes are those of stringEncoding.") {
            QueryText.inEncoding($0)?.outcome
        },
        CaseRule(.wound(60), "A query that stringEncoding cannot say is an error.") {
            QueryText.inEncoding($0)?.refusal
        },
        CaseRule(.wound(43), "A copy keeps every property.", asOriginal),
        CaseRule(.foundation, "URLRequest writes the methods it knows in upper case.") {
            guard let method = $0.output["method"]?.string, knownMethod(method) != method else {
                return nil
            }
            return changed($0, ["method": .string(knownMethod(method))])
        },
        CaseRule(
            .foundation, "A lone surrogate is U+FFFD in Foundation here.", LoneSurrogate.outcome),
        CaseRule(.foundation, "The same JSON or property list, in Foundation's digits.") {
            guard $0.isFoundations, let body = FoundationBody.body(of: $0) else { return nil }
            return changed($0, ["bodyBase64": body])
        },
    ]

    /// The recorded request with other members.
    static func changed(
        _ recorded: RecordedCase, _ members: [String: GoldenValue]
    ) -> CaseOutcome {
        .output(recorded.output.members.merging(members) { $1 })
    }

    /// The original asserted this argument.
    private static func isException(_ recorded: RecordedCase, of argument: String) -> Bool {
        recorded.output["exception"] == "NSInternalInconsistencyException"
            && recorded.output["reason"] == .string("Invalid parameter not satisfying: \(argument)")
    }

    private static func noURL(_ text: String) -> CaseOutcome {
        .failure(NSURLErrorBadURL, "'\(text.prefix(200))' is no URL")
    }

    /// What Foundation's own request makes of a method.
    static func knownMethod(_ method: String) -> String {
        guard let url = URL(string: "http://example.com") else { return method }
        var request = URLRequest(url: url)
        request.httpMethod = method
        return request.httpMethod ?? method
    }

    /// What is recorded, or meant, of the same request by the serializer that was copied. Where
    /// that was not recorded, the properties that a request shows are what they were set to.
    private static func asOriginal(_ recorded: RecordedCase) -> CaseOutcome? {
        var config = recorded.input["config"]?.members ?? [:]
        guard config["copy"] == true else { return nil }
        config["copy"] = nil
        var input = recorded.input.members
        input["config"] = config.isEmpty ? nil : .object(config)
        let twin = CaseFamily.requests.files.flatMap(GoldenFile.known)
            .first { $0.input == .object(input) }
        if let twin {
            let meant = all.lazy.filter { $0.cause == .wound(60) }.compactMap { $0.allowed(twin) }
            return meant.first ?? CaseOutcome(recorded: twin.output)
        }
        let shown = [
            "timeout": "timeoutInterval", "cachePolicy": "cachePolicy",
            "cookies": "HTTPShouldHandleCookies",
        ]
        let names = Set(config.keys).subtracting(["headers", "basic", "token", "queryBlock"])
        guard !names.isEmpty, names.isSubset(of: shown.keys) else { return nil }
        let pairs = names.compactMap { name in
            shown[name].flatMap { member in config[name].map { (member, $0) } }
        }
        return changed(recorded, Dictionary(uniqueKeysWithValues: pairs))
    }
}

extension CaseOutcome {
    /// An error of the request serializers with its sentence.
    static func failure(_ code: Int, _ explanation: String) -> CaseOutcome {
        .failure(GoldenValue.requestError(code, explanation))
    }
}

extension GoldenValue {
    static func requestError(_ code: Int, _ explanation: String) -> GoldenValue {
        [
            "domain": "com.alamofire.error.serialization.request", "code": .int(code),
            "userInfo": ["NSLocalizedFailureReason": .string(explanation)],
            "userInfoKeys": ["NSLocalizedFailureReason"],
        ]
    }
}
