import Foundation
import ParitySupport

typealias Refusal = ParityRule.Refusal

extension Refusal {
    /// Refuses the allowed output with another member.
    static func on(_ id: String, with name: String, _ value: GoldenValue) -> Refusal {
        on(id) { _, allowed in .object(allowed.members.merging([name: value]) { $1 }) }
    }

    static func on(_ made: RecordedCase, with name: String, _ value: GoldenValue) -> Refusal {
        on(made) { _, allowed in .object(allowed.members.merging([name: value]) { $1 }) }
    }

    /// Refuses another error.
    static func on(_ id: String, fails code: Int, _ explanation: String) -> Refusal {
        on(id) { _, _ in .failure(code, explanation) }
    }

    static func on(_ made: RecordedCase, fails code: Int, _ explanation: String) -> Refusal {
        on(made) { _, _ in .failure(code, explanation) }
    }

    /// Refuses the recorded output with another member, where an error is right.
    static func on(_ id: String, recordedWith name: String, _ value: GoldenValue) -> Refusal {
        on(id) { recorded, _ in recorded.changed([name: value]) }
    }

    /// Refuses the allowed output, whose error has another sentence.
    static func on(_ id: String, says text: String) -> Refusal {
        on(id) { _, allowed in
            let error = allowed["error"]?.members ?? [:]
            var info = error["userInfo"]?.members ?? [:]
            info["NSLocalizedDescription"] = .string(text)
            let other = GoldenValue.object(error.merging(["userInfo": .object(info)]) { $1 })
            return .object(allowed.members.merging(["error": other]) { $1 })
        }
    }

    /// A body in text.
    static func body(_ text: String) -> GoldenValue {
        .string(Data(text.utf8).base64EncodedString())
    }
}

/// Cases that are not among the recordings here.
enum MadeUp {
    static let badURL = RecordedCase([
        "input": ["url": "http://a b/", "parts": []],
        "output": [
            "exception": "NSInternalInconsistencyException",
            "reason": "Invalid parameter not satisfying: url",
        ],
    ])

    static let nilURL = RecordedCase([
        "input": ["url": .absent, "parts": []],
        "output": [
            "exception": "NSInternalInconsistencyException",
            "reason": "Invalid parameter not satisfying: URLString",
        ],
    ])

    /// The original dropped the value, and with it the only part.
    static let unencodable = RecordedCase([
        "input": ["params": ["a": "b", "k": "é"], "parts": [], "config": ["encoding": 1]],
        "output": ["hasBodyStream": true],
    ])

    /// The original sent nothing.
    static let packetOfZero: RecordedCase = {
        let one = recordings.known("multipart").first { $0.id == "throttle-1" }
        guard let one, let parts = one.input["parts"]?.elements, let throttle = parts.first else {
            return RecordedCase(["id": "none"])
        }
        let zero = GoldenValue.object(throttle.members.merging(["size": 0]) { $1 })
        return one.with(
            input: ["parts": .array([zero] + parts.dropFirst())],
            output: .object(
                one.output.members.merging(["bodyBase64": "", "bodyLength": 0, "readSizes": [0]]) {
                    $1
                }))
    }()

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
