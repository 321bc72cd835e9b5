import ParitySupport
import TestSupport

/// One made-up outcome that a rule must refuse.
struct Refusal: Sendable, CustomTestStringConvertible {
    /// The first file of the rule's family.
    let file: String
    let cause: CaseRule.Cause
    let reason: String
    /// A recorded case that the rule is about.
    let id: String
    /// In place of a recorded one.
    let recorded: RecordedCase?
    let wrong: @Sendable (RecordedCase, CaseOutcome) -> CaseOutcome

    var testDescription: String { "\(file) \(reason)" }

    private init(
        _ file: String, _ cause: CaseRule.Cause, _ reason: String, _ id: String,
        madeUp recorded: RecordedCase? = nil,
        _ wrong: @escaping @Sendable (RecordedCase, CaseOutcome) -> CaseOutcome
    ) {
        self.file = file
        self.cause = cause
        self.reason = reason
        self.id = id
        self.recorded = recorded
        self.wrong = wrong
    }

    static let all = requests + multipart + responses + baseURLs

    // MARK: Wrong outcomes

    /// The allowed output with another member.
    private static func with(
        _ name: String, _ value: GoldenValue
    ) -> @Sendable (RecordedCase, CaseOutcome) -> CaseOutcome {
        { _, allowed in
            guard case .output(let members) = allowed else { return .output([name: value]) }
            return .output(members.merging([name: value]) { $1 })
        }
    }

    private static func failing(
        _ code: Int, _ explanation: String
    ) -> @Sendable (RecordedCase, CaseOutcome) -> CaseOutcome {
        { _, _ in .failure(code, explanation) }
    }

    /// The allowed output, whose error has another sentence.
    private static func saying(
        _ text: String
    ) -> @Sendable (RecordedCase, CaseOutcome) -> CaseOutcome {
        { recorded, allowed in
            guard case .output(let members) = allowed else { return allowed }
            let error = members["error"]?.members ?? [:]
            var info = error["userInfo"]?.members ?? [:]
            info["NSLocalizedDescription"] = .string(text)
            return with("error", .object(error.merging(["userInfo": .object(info)]) { $1 }))(
                recorded, allowed)
        }
    }

    /// The recorded output with another member, where an error is right.
    private static func recorded(
        with name: String, _ value: GoldenValue
    ) -> @Sendable (RecordedCase, CaseOutcome) -> CaseOutcome {
        { recorded, _ in RequestRules.changed(recorded, [name: value]) }
    }

    /// A body in text.
    private static func body(_ text: String) -> GoldenValue {
        .string(Data(text.utf8).base64EncodedString())
    }
}

// MARK: - Requests

extension Refusal {
    private static let requests: [Refusal] = [
        Refusal(
            "query-strings", .wound(38), "Text that is no URL is an error, not an exception.",
            "badurl/http://exa mple.com/", failing(-1000, "the request has no URL")),
        Refusal(
            "query-strings", .wound(38), "Text that is no URL is an error, not an exception.",
            "badurl/http://exa mple.com/",
            failing(1, "a value of type Date at 'd' cannot be written as JSON")),
        Refusal(
            "query-strings", .wound(38), "An empty text is no URL.", "badurl/",
            failing(-1000, "'?a=1' is no URL")),
        Refusal(
            "query-strings", .wound(38), "Nil in place of text cannot be said in Swift.",
            "config/basic-nil/params/GET",
            recorded(with: "headers", ["Authorization": "Basic Og=="])
        ),
        Refusal(
            "query-strings", .wound(39), "A value that JSON lacks is an error, not an exception.",
            "json/date/POST", failing(1, "the top of JSON must be a dictionary or an array")),
        Refusal(
            "query-strings", .wound(39), "A value that JSON lacks is an error, not an exception.",
            "json/date/POST", failing(-1000, "'http://example.com/p' is no URL")),
        Refusal(
            "query-strings", .wound(41),
            "A value that property lists lack: an error and no request.", "plist/null/POST",
            failing(1, "a set at 'a' cannot be written as a property list")),
        Refusal(
            "query-strings", .wound(41),
            "A query block that spoils the URL: an error, no request.",
            "config/queryBlock-desc/params/GET", failing(-1000, "'http://example.com/p' is no URL")
        ),
        Refusal(
            "query-strings", .wound(59), "The query goes before the fragment.", "url06/one/GET",
            with("url", "http://example.com/p?a=2#frag")),
        Refusal(
            "query-strings", .wound(60), "The query's bytes are those of stringEncoding.",
            "plist-config-latin1/GET",
            failing(3, "'é' cannot be written in \(String.Encoding.isoLatin1)")),
        Refusal(
            "query-strings", .wound(60), "A query that stringEncoding cannot say is an error.",
            "config/ascii/params/GET", recorded(with: "url", "http://example.com/p?k=%3F%20v")),
        Refusal(
            "query-strings", .wound(60), "A query that stringEncoding cannot say is an error.",
            "config/ascii/params/GET",
            failing(3, "'v' cannot be written in \(String.Encoding.ascii)")),
        Refusal(
            "query-strings", .wound(43), "A copy keeps every property.",
            "config/copy-timeout/nil/POST", with("timeoutInterval", 6)),
        Refusal(
            "query-strings", .foundation,
            "URLRequest writes the methods it knows in upper case.", "method/Get",
            with("method", "POST")),
        Refusal(
            "query-strings", .foundation, "A lone surrogate is U+FFFD in Foundation here.",
            "lone-high/GET", with("url", "http://example.org/p?k=%EF%BF%BD")),
        Refusal(
            "query-strings", .foundation,
            "The same JSON or property list, in Foundation's digits.", "json/doubles/POST",
            with("bodyBase64", body("{\"d\":0.10000001,\"e\":1e+21,\"f\":-2.5}"))),
    ]
}

// MARK: - Forms

extension Refusal {
    private static let multipart: [Refusal] = [
        Refusal(
            "multipart", .wound(38), "GET and HEAD are refused with an error, no exception.",
            "method-GET", failing(-1000, "'http://example.com/up' is no URL")),
        Refusal(
            "multipart", .wound(38), "Text that is no URL is an error, not an exception.",
            "made up", madeUp: badURL, failing(-1000, "'http://a' is no URL")),
        Refusal(
            "multipart", .wound(38), "A nil URL cannot be said in Swift.", "made up",
            madeUp: nilURL, failing(-1000, "'' is no URL")),
        Refusal(
            "multipart", .wound(38), "Nil in place of an argument cannot be said in Swift.",
            "file-nil-data", with("bodyBase64", body("junk"))),
        Refusal(
            "multipart", .wound(38), "Nil in place of an argument cannot be said in Swift.",
            "file-nil-data", with("partLog", [["exception": "nil"], ["exception": "nil"]])),
        Refusal(
            "multipart", .wound(38), "Parameters that are no dictionary do not compile.",
            "params-array-top", recorded(with: "bodyBase64", body("junk"))),
        Refusal(
            "multipart", .wound(38), "Parameters that are no dictionary do not compile.",
            "params-array-top"
        ) { _, _ in .unsayable("a nil URL") },
        Refusal(
            "multipart", .wound(21), "A control character in a part header is refused.",
            "file-crlf-mime", failing(-1000, "A POST request has no multipart body.")),
        Refusal(
            "multipart", .wound(21), "Quotes and line breaks in names are escaped.",
            "file-quote-name", with("bodyBase64", body("junk"))),
        Refusal(
            "multipart", .wound(21), "Quotes and line breaks in names are escaped.",
            "file-quote-name", with("streamContentLength", 1)),
        Refusal(
            "multipart", .wound(18), "A negative length is refused.", "stream-neg-length",
            failing(-1000, "The stream part \"s\" has the length -2.")),
        Refusal(
            "multipart", .wound(18), "A stream of another length than declared fails.",
            "stream-short-length", with("readSizes", [146, 0])),
        Refusal(
            "multipart", .wound(41), "A value that stringEncoding lacks: an error, no request.",
            "made up", madeUp: unencodable,
            failing(
                -1000,
                "The parameter \"a\" cannot be written in the encoding \(String.Encoding.ascii).")),
        Refusal(
            "multipart", .wound(41), "A file that cannot be appended: an error, no request.",
            "fileurl-missing-then-form", failing(-1000, "Expected URL to be a file URL")),
        Refusal(
            "multipart", .wound(67), "No read is larger than the packet.", "throttle",
            with("readSizes", [10, 107, 0])),
        Refusal(
            "multipart", .wound(67), "No read is larger than the packet.", "throttle",
            with("readSizes", [10, 0])),
        Refusal(
            "multipart", .wound(67), "A packet size of 0 is no limit, not an empty body.",
            "made up", madeUp: packetOfZero, with("bodyBase64", body("junk"))),
        Refusal(
            "multipart", .foundation, "URLRequest writes the methods it knows in upper case.",
            "method-get", with("method", "POST")),
        Refusal(
            "multipart", .foundation, "A directory is refused when it is appended.",
            "fileurl-dir", failing(-1000, "File URL not reachable.")),
    ]

    private static let badURL = RecordedCase([
        "input": ["url": "http://a b/", "parts": []],
        "output": [
            "exception": "NSInternalInconsistencyException",
            "reason": "Invalid parameter not satisfying: url",
        ],
    ])

    private static let nilURL = RecordedCase([
        "input": ["url": .absent, "parts": []],
        "output": [
            "exception": "NSInternalInconsistencyException",
            "reason": "Invalid parameter not satisfying: URLString",
        ],
    ])

    /// The original dropped the value, and with it the only part.
    private static let unencodable = RecordedCase([
        "input": ["params": ["a": "b", "k": "é"], "parts": [], "config": ["encoding": 1]],
        "output": ["hasBodyStream": true],
    ])

    /// The original sent nothing.
    private static let packetOfZero: RecordedCase? = {
        let one = GoldenFile.known("multipart").first { $0.id == "throttle-1" }
        guard let one, let parts = one.input["parts"]?.elements, let throttle = parts.first else {
            return nil
        }
        let zero = GoldenValue.object(throttle.members.merging(["size": 0]) { $1 })
        return one.with(
            input: ["parts": .array([zero] + parts.dropFirst())],
            output: .object(
                one.output.members.merging(["bodyBase64": "", "bodyLength": 0, "readSizes": [0]]) {
                    $1
                }))
    }()
}

// MARK: - Responses and base URLs

extension Refusal {
    private static let responses: [Refusal] = [
        Refusal(
            "response-serialization", .wound(43),
            "A copy keeps acceptable types and statuses.", "json/copy-status",
            with("object", ["a": "c"])),
        Refusal(
            "response-serialization", .wound(35),
            "A body that is no text in its charset is an error, not nil.",
            "json-body/latin1-as-utf8-charset"
        ) { recorded, _ in
            let members: [String: GoldenValue] = [
                "object": ["a": "\u{FFFD}"], "objectClass": "NSDictionary",
            ]
            return RequestRules.changed(recorded, members)
        },
        Refusal(
            "response-serialization", .wound(35),
            "A body whose bytes show their encoding is read in it.", "json-body/utf16-nocharset",
            with("object", ["a": "e"])),
        Refusal(
            "response-serialization", .wound(35),
            "A body that is no image is an error, not an empty image.", "image/nil-200",
            with("error", .null)),
        Refusal(
            "response-serialization", .foundation, "Foundation's words for a status.",
            "http/status-422", with("error", .null)),
        Refusal(
            "response-serialization", .foundation, "Foundation's words for a status.",
            "http/status-422", saying("Request failed: another (422)")),
        Refusal(
            "response-serialization", .foundation, "Foundation's words for what is no JSON.",
            "json/garbage-200",
            with(
                "error",
                [
                    "domain": "NSCocoaErrorDomain", "code": 3840, "userInfo": [:],
                    "userInfoKeys": [],
                ])),
        Refusal(
            "response-serialization", .foundation,
            "Foundation's words for what is no property list.", "plist/garbage-200",
            with(
                "error",
                [
                    "domain": "NSCocoaErrorDomain", "code": 3840, "userInfo": [:],
                    "userInfoKeys": [],
                ])),
        Refusal(
            "response-serialization", .foundation,
            "Foundation's numbers and words for what is no XML.", "xmldoc-body/bad",
            with(
                "error",
                [
                    "domain": "NSXMLParserErrorDomain", "code": 99, "userInfo": [:],
                    "userInfoKeys": [],
                ])),
        Refusal(
            "response-serialization", .foundation,
            "The recorder's XML document raised an exception for no data.", "xmldoc/nil-404",
            with("error", .null)),
        Refusal(
            "response-serialization", .foundation,
            "Foundation on Linux takes a comma after the last element.",
            "json-body/trailing-comma", with("object", [1, .absent])),
        Refusal(
            "response-serialization", .foundation,
            "The recorder's Foundation took ASCII for Latin-1.",
            "json-body/ascii-charset-with-utf8", with("object", ["a": "e"])),
    ]

    private static let baseURLs: [Refusal] = [
        Refusal(
            "base-url", .wound(38), "A path that is no URL is an error, not an exception.",
            "b00/a b", with("requestURL", "http://example.com/a%20b")),
        Refusal(
            "base-url", .wound(59), "The query goes before the fragment.",
            "params/http://other.com/z?y=2#f", with("requestURL", "http://other.com/z?y=2#f")),
        Refusal(
            "base-url", .wound(43), "A manager's copy keeps every setting.", "made up",
            madeUp: copy, with("shouldUseCredentialStorage", .null)),
        Refusal(
            "base-url", .foundation, "Dots are removed as RFC 3986 section 5.2.4 says.",
            "b00/../foo", with("requestURL", "http://example.com/")),
        Refusal(
            "base-url", .foundation, "A base without a scheme has no host to resolve against.",
            "oddbase/foo", with("requestURL", "p")),
    ]

    /// In the form of the recorded defaults.
    static let copy = RecordedCase([
        "id": "misc/copy.manager", "input": ["what": "copy.manager"],
        "output": [
            "baseURL": "http://example.com/v1/", "credential": .null,
            "shouldUseCredentialStorage": true, "maxConcurrentOperationCount": -1,
            "requestSerializer": "AFJSONRequestSerializer",
            "responseSerializer": "AFHTTPResponseSerializer", "SSLPinningMode": 1,
        ],
    ])
}
