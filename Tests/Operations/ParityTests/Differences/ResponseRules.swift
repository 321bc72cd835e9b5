import Foundation

@testable import OperationNetworking
import ParitySupport

/// Why the response serializers' results differ from their recordings, and how exactly.
enum ResponseRules {
    static let all: [CaseRule] = [
        CaseRule(.wound(43), "A copy keeps acceptable types and statuses.", asOriginal),
        CaseRule(.wound(35), "A body that is no text in its charset is an error, not nil.") {
            UndecodableBody($0)?.refusal
        },
        CaseRule(.wound(35), "A body whose bytes show their encoding is read in it.") {
            UndecodableBody($0)?.object
        },
        CaseRule(.wound(35), "A body that is no image is an error, not an empty image.") {
            UndecodableImage.outcome($0)
        },
        CaseRule(.foundation, "Foundation's words for a status.") {
            FoundationErrors.output($0) { _ in nil }
        },
        CaseRule(.foundation, "Foundation's words for what is no JSON.") { recorded in
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
        CaseRule(.foundation, "Foundation's words for what is no property list.") { recorded in
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
        CaseRule(.foundation, "Foundation's numbers and words for what is no XML.") { recorded in
            guard recorded.input["serializer"] == "xmldoc", let body = recorded.input["data"]?.data
            else { return nil }
            return FoundationErrors.output(recorded) { error in
                error["domain"]?.string?.hasPrefix("NSXML") == true
                    ? FoundationErrors.ofXML(body) : nil
            }
        },
        CaseRule(.foundation, "The recorder's XML document raised an exception for no data.") {
            guard $0.input["serializer"] == "xmldoc", $0.input["data"]?.isNil == true,
                $0.output["exception"] == "NSInvalidArgumentException"
            else { return nil }
            return withoutData($0.input)
        },
        CaseRule(.foundation, "Foundation on Linux takes a comma after the last element.") {
            guard $0.input["serializer"] == "json", $0.output["error"]?["code"] == 3840,
                let body = $0.input["data"]?.data.map({ String(decoding: $0, as: UTF8.self) }),
                body.contains(/,\s*[\]}]/), !body.contains("\"")
            else { return nil }
            let plain = body.replacing(/,(\s*[\]}])/) { String($0.1) }
            return success($0, parsed: Data(plain.utf8))
        },
        CaseRule(.foundation, "The recorder's Foundation took ASCII for Latin-1.") {
            guard $0.input["serializer"] == "json", $0.input["charset"] == "us-ascii",
                let body = $0.input["data"]?.data, body.contains(where: { $0 > 0x7F }),
                $0.output["object"]?.isNil == false
            else { return nil }
            return success($0, parsed: body)
        },
    ]

    /// The recording with the object that a JSON document holds, and no error.
    static func success(_ recorded: RecordedCase, parsed json: Data) -> CaseOutcome? {
        guard let object = try? JSONSerialization.jsonObject(with: json) else { return nil }
        return RequestRules.changed(
            recorded,
            [
                "object": Seen.object(object), "objectClass": Seen.className(of: object),
                "error": .null,
            ])
    }

    /// What is recorded of the same body where the original accepts it; the copy accepts what its
    /// original does.
    private static func asOriginal(_ recorded: RecordedCase) -> CaseOutcome? {
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
        return RequestRules.changed(recorded, members)
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
    private static func withoutData(_ input: GoldenValue) -> CaseOutcome {
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
        return .output(members)
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
