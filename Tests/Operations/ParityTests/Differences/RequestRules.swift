import ParitySupport
import TestSupport

/// Why requests differ from their recordings, and how exactly.
enum RequestRules {
    static let all: [ParityRule] = [
        ParityRule(
            .wound(38), "Text that is no URL is an error, not an exception.",
            .on("badurl/http://exa mple.com/", fails: -1000, "the request has no URL"),
            .on(
                "badurl/http://exa mple.com/", fails: 1,
                "a value of type Date at 'd' cannot be written as JSON")
        ) {
            guard isException($0, of: "url"), let text = $0.input["url"]?.string else {
                return nil
            }
            return noURL(text)
        },
        ParityRule(
            .wound(38), "An empty text is no URL.", .on("badurl/", fails: -1000, "'?a=1' is no URL")
        ) {
            $0.isFoundations && $0.input["url"] == "" && $0.output["exception"] == nil
                ? noURL("") : nil
        },
        ParityRule(
            .wound(38), "Nil in place of text cannot be said in Swift.",
            .on(
                "config/basic-nil/params/GET", recordedWith: "headers",
                ["Authorization": "Basic Og=="])
        ) { recorded in
            RequestCases.unsayable(recorded.input).map { .unsayable($0) }
        },
        ParityRule(
            .wound(39), "A value that JSON lacks is an error, not an exception.",
            .on("json/date/POST", fails: 1, "the top of JSON must be a dictionary or an array"),
            .on("json/date/POST", fails: -1000, "'http://example.com/p' is no URL")
        ) {
            guard $0.output["exception"] == "NSInvalidArgumentException",
                $0.input["serializer"] == "json"
            else { return nil }
            return UnwritableValue.json($0.input["params"]).map { .failure(1, $0) }
        },
        ParityRule(
            .wound(41), "A value that property lists lack: an error and no request.",
            .on("plist/null/POST", fails: 1, "a set at 'a' cannot be written as a property list")
        ) {
            guard $0.output["error"]?["code"] == 3851, $0.output["bodyBase64"] == .null,
                $0.input["serializer"] == "plist"
            else { return nil }
            return UnwritableValue.propertyList($0.input["params"]).map { .failure(1, $0) }
        },
        ParityRule(
            .wound(41), "A query block that spoils the URL: an error, no request.",
            .on(
                "config/queryBlock-desc/params/GET", fails: -1000,
                "'http://example.com/p' is no URL")
        ) {
            guard $0.output["url"] == .null, let url = $0.input["url"]?.string,
                let query = SerializerInput.blockText($0.input)
            else { return nil }
            return noURL(QueryText.adding(query, to: url))
        },
        ParityRule(
            .wound(59), "The query goes before the fragment.",
            .on("url06/one/GET", with: "url", "http://example.com/p?a=2#frag")
        ) {
            guard let url = $0.input["url"]?.string, let recorded = $0.output["url"]?.string,
                let moved = QueryText.moved(recorded, from: url)
            else { return nil }
            return $0.changed(["url": .string(moved)])
        },
        ParityRule(
            .wound(60), "The query's bytes are those of stringEncoding.",
            .on(
                "plist-config-latin1/GET", fails: 3,
                "'é' cannot be written in \(String.Encoding.isoLatin1)")
        ) {
            QueryText.inEncoding($0)?.outcome
        },
        ParityRule(
            .wound(60), "A query that stringEncoding cannot say is an error.",
            .on("config/ascii/params/GET", recordedWith: "url", "http://example.com/p?k=%3F%20v"),
            .on(
                "config/ascii/params/GET", fails: 3,
                "'v' cannot be written in \(String.Encoding.ascii)")
        ) {
            QueryText.inEncoding($0)?.refusal
        },
        ParityRule(
            .wound(43), "A copy keeps every property.",
            .on("config/copy-timeout/nil/POST", with: "timeoutInterval", 6), allowed: asOriginal),
        ParityRule(
            .foundation, "URLRequest writes the methods it knows in upper case.",
            .on("method/Get", with: "method", "POST")
        ) {
            guard let method = $0.output["method"]?.string, knownMethod(method) != method else {
                return nil
            }
            return $0.changed(["method": .string(knownMethod(method))])
        },
        ParityRule(
            .foundation, "A lone surrogate is U+FFFD in Foundation here.",
            .on("lone-high/GET", with: "url", "http://example.org/p?k=%EF%BF%BD"),
            allowed: LoneSurrogate.outcome),
        ParityRule(
            .foundation, "The same JSON or property list, in Foundation's digits.",
            .on(
                "json/doubles/POST", with: "bodyBase64",
                Refusal.body("{\"d\":0.10000001,\"e\":1e+21,\"f\":-2.5}"))
        ) {
            guard $0.isFoundations, let body = FoundationBody.body(of: $0) else { return nil }
            return $0.changed(["bodyBase64": body])
        },
    ]

    /// The original asserted this argument.
    private static func isException(_ recorded: RecordedCase, of argument: String) -> Bool {
        recorded.output["exception"] == "NSInternalInconsistencyException"
            && recorded.output["reason"] == .string("Invalid parameter not satisfying: \(argument)")
    }

    private static func noURL(_ text: String) -> GoldenValue {
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
    private static func asOriginal(_ recorded: RecordedCase) -> GoldenValue? {
        var config = recorded.input["config"]?.members ?? [:]
        guard config["copy"] == true else { return nil }
        config["copy"] = nil
        var input = recorded.input.members
        input["config"] = config.isEmpty ? nil : .object(config)
        let twin = ParityFamily.requests.files.flatMap(recordings.known)
            .first { $0.input == .object(input) }
        if let twin {
            let meant = all.lazy.filter { $0.cause == .wound(60) }.compactMap { $0.allowed(twin) }
            return meant.first ?? twin.output
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
        return recorded.changed(Dictionary(uniqueKeysWithValues: pairs))
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
