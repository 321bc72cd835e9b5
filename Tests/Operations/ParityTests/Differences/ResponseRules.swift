import Foundation

@testable import OperationNetworking
import ParitySupport

/// Why the response serializers' results differ from their recordings, and how exactly.
enum ResponseRules {
    static let all: [ParityRule] = [
        ParityRule(
            .wound(43), "A copy keeps acceptable types and statuses.",
            .on("json/copy-status", with: "object", ["a": "c"]), allowed: asOriginal),
        ParityRule(
            .wound(35), "A body that is no text in its charset is an error, not nil.",
            .on("json-body/latin1-as-utf8-charset") { recorded, _ in
                let members: [String: GoldenValue] = [
                    "object": ["a": "\u{FFFD}"], "objectClass": "NSDictionary",
                ]
                return recorded.changed(members)
            }
        ) {
            UndecodableBody($0)?.refusal
        },
        ParityRule(
            .wound(35), "A body whose bytes show their encoding is read in it.",
            .on("json-body/utf16-nocharset", with: "object", ["a": "e"])
        ) {
            UndecodableBody($0)?.object
        },
        ParityRule(
            .wound(35), "A body that is no image is an error, not an empty image.",
            .on("image/nil-200", with: "error", .null)
        ) {
            UndecodableImage.outcome($0)
        },
        ParityRule(
            .foundation, "Foundation's words for a status.",
            .on("http/status-422", with: "error", .null),
            .on("http/status-422", says: "Request failed: another (422)")
        ) {
            FoundationErrors.output($0) { _ in nil }
        },
        ParityRule(
            .foundation, "Foundation's words for what is no JSON.",
            .on(
                "json/garbage-200", with: "error",
                [
                    "domain": "NSCocoaErrorDomain", "code": 3840, "userInfo": [:],
                    "userInfoKeys": [],
                ])
        ) { recorded in
            guard recorded.input["serializer"] == "json", let body = UndecodableBody.text(recorded)
            else { return nil }
            let number = UInt(recorded.input["readingOptions"]?.int ?? 0)
            return FoundationErrors.output(recorded) { error in
                guard error["domain"] == "NSCocoaErrorDomain", error["code"] == 3840 else {
                    return nil
                }
                return FoundationErrors.thrown {
                    try JSONSerialization.jsonObject(
                        with: body, options: JSONSerialization.ReadingOptions(rawValue: number))
                }
            }
        },
        ParityRule(
            .foundation, "Foundation's words for what is no property list.",
            .on(
                "plist/garbage-200", with: "error",
                [
                    "domain": "NSCocoaErrorDomain", "code": 3840, "userInfo": [:],
                    "userInfoKeys": [],
                ])
        ) { recorded in
            guard recorded.input["serializer"] == "plist", let body = recorded.input["data"]?.data
            else { return nil }
            return FoundationErrors.output(recorded) { error in
                guard error["domain"] == "NSCocoaErrorDomain", error["code"] == 3840 else {
                    return nil
                }
                return FoundationErrors.thrown {
                    try PropertyListSerialization.propertyList(from: body, format: nil)
                }
            }
        },
        ParityRule(
            .foundation, "Foundation's numbers and words for what is no XML.",
            .on(
                "xmldoc-body/bad", with: "error",
                [
                    "domain": "NSXMLParserErrorDomain", "code": 99, "userInfo": [:],
                    "userInfoKeys": [],
                ])
        ) { recorded in
            guard recorded.input["serializer"] == "xmldoc", let body = recorded.input["data"]?.data
            else { return nil }
            return FoundationErrors.output(recorded) { error in
                error["domain"]?.string?.hasPrefix("NSXML") == true
                    ? FoundationErrors.ofXML(body) : nil
            }
        },
        ParityRule(
            .foundation, "The recorder's XML document raised an exception for no data.",
            .on("xmldoc/nil-404", with: "error", .null)
        ) {
            guard $0.input["serializer"] == "xmldoc", $0.input["data"]?.isNil == true,
                $0.output["exception"] == "NSInvalidArgumentException"
            else { return nil }
            return withoutData($0.input)
        },
        ParityRule(
            .foundation, "Foundation on Linux takes a comma after the last element.",
            .on("json-body/trailing-comma", with: "object", [1, .absent])
        ) {
            guard $0.input["serializer"] == "json", $0.output["error"]?["code"] == 3840,
                let body = $0.input["data"]?.data.map({ String(decoding: $0, as: UTF8.self) }),
                body.contains(/,\s*[\]}]/), !body.contains("\"")
            else { return nil }
            let plain = body.replacing(/,(\s*[\]}])/) { String($0.1) }
            return success($0, parsed: Data(plain.utf8))
        },
        ParityRule(
            .foundation, "The recorder's Foundation took ASCII for Latin-1.",
            .on("json-body/ascii-charset-with-utf8", with: "object", ["a": "e"])
        ) {
            guard $0.input["serializer"] == "json", $0.input["charset"] == "us-ascii",
                let body = $0.input["data"]?.data, body.contains(where: { $0 > 0x7F }),
                $0.output["object"]?.isNil == false
            else { return nil }
            return success($0, parsed: body)
        },
    ]

    /// The recording with the object that a JSON document holds, and no error.
    static func success(_ recorded: RecordedCase, parsed json: Data) -> GoldenValue? {
        guard let object = try? JSONSerialization.jsonObject(with: json) else { return nil }
        return recorded.changed([
            "object": Seen.object(object), "objectClass": Seen.className(of: object),
            "error": .null,
        ])
    }

    /// What is recorded of the same body where the original accepts it; the copy accepts what its
    /// original does.
    private static func asOriginal(_ recorded: RecordedCase) -> GoldenValue? {
        let input = recorded.input
        guard input["copy"] == true, recorded.output["error"] != .null, accepts(input) else {
            return nil
        }
        let alike = recordings.known("response-serialization").first {
            $0.input["serializer"] == input["serializer"] && $0.input["data"] == input["data"]
                && $0.output["error"] == .null && $0.output["object"]?.isNil == false
                && $0.input["readingOptions"] == input["readingOptions"]
                && $0.input["removesNulls"] == input["removesNulls"]
                && $0.input["readOptions"] == input["readOptions"]
                && $0.input["charset"] == input["charset"]
        }
        guard let alike, let object = alike.output["object"],
            let name = alike.output["objectClass"]
        else { return nil }
        var members: [String: GoldenValue] = [
            "object": object, "objectClass": name, "error": .null,
        ]
        if recorded.output["validateReturned"] != nil {
            members["validateReturned"] = true
            members["validateError"] = .null
        }
        return recorded.changed(members)
    }

    private static let types: [String: [String]] = [
        "json": ["application/json", "text/json", "text/javascript"],
        "xmldoc": ["application/xml", "text/xml"], "xmlparser": ["application/xml", "text/xml"],
        "plist": ["application/x-plist"],
        "image": [
            "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon",
            "image/bmp", "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap",
        ],
    ]

    /// Whether a serializer with these settings takes the type and the status.
    private static func accepts(_ input: GoldenValue) -> Bool {
        acceptsType(input) && acceptsStatus(input)
    }

    private static func acceptsStatus(_ input: GoldenValue) -> Bool {
        let status = input["status"]?.int ?? 200
        switch input["acceptableStatus"] {
        case nil: return (200..<300).contains(status)
        case .string: return true
        case let codes?: return codes.elements.contains(.int(status))
        }
    }

    private static func acceptsType(_ input: GoldenValue) -> Bool {
        let type = input["mime"]?.string ?? ""
        switch input["acceptableTypes"] {
        case nil: return types[input["serializer"]?.string ?? ""]?.contains(type) ?? true
        case .string: return true
        case let names?: return names.elements.contains(.string(type))
        }
    }

    /// No body at all is nothing, with the error of a status alone.
    private static func withoutData(_ input: GoldenValue) -> GoldenValue {
        let status = input["status"]?.int ?? 200
        let error: GoldenValue =
            acceptsStatus(input)
            ? .null
            : .responseError(-1011, "Request failed: \(FoundationErrors.words(status))", input)
        var members: [String: GoldenValue] = [
            "object": .absent, "objectClass": .null, "error": error,
        ]
        if input["validate"] == true {
            members["validateReturned"] = .bool(accepts(input))
            members["validateError"] = error
        }
        return .object(members)
    }
}

extension GoldenValue {
    /// An error of the response serializers about a response and its body.
    static func responseError(
        _ code: Int, _ description: String, _ input: GoldenValue,
        more: [String: GoldenValue] = [:]
    ) -> GoldenValue {
        var info = more.merging(["NSLocalizedDescription": .string(description)]) { $1 }
        if input["nilResponse"] != true {
            info["com.alamofire.serialization.response.error.response"] = [
                "$response": ["statusCode": input["status"] ?? 200]
            ]
            if input["noURL"] != true {
                info["NSErrorFailingURLKey"] = [
                    "$url": input["url"] ?? "http://example.com/r"
                ]
            }
        }
        if let data = input["data"], !data.isNil {
            info["com.alamofire.serialization.response.error.data"] = data
        }
        return [
            "domain": "com.alamofire.error.serialization.response", "code": .int(code),
            "userInfo": .object(info),
            "userInfoKeys": .array(info.keys.sorted().map { .string($0) }),
        ]
    }
}
