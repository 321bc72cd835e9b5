import Foundation

@testable import OperationNetworking
import ParitySupport

/// The errors that the original makes itself, and its constants.
enum ErrorCases {
    static func verdict(_ recorded: RecordedCase) async -> ParityTally.Verdict {
        if recorded.id == "constants" {
            return recorded.output == constants
                ? .equal : .other("\(constants), recorded as \(recorded.output)")
        }
        let name = (recorded.input["case"]?.string ?? "").split(separator: "#", maxSplits: 1)
            .map(String.init)
        guard name.count == 2 else { return .other("It names no case.") }
        let file = name[0].replacing(".json", with: "")
        guard let family = ParityFamily.of(file: file) else { return .other("No file \(file).") }
        let named = recordings.known(file).first { $0.id == name[1] }
        guard let named = named ?? DescribedCases.named(name[1], by: recorded) else {
            return .absent
        }
        guard errors(in: named.output).contains(recorded.output) else {
            return .other("\(recorded.output) is no error in \(named.output)")
        }
        guard named.output.members.count == 1, let seen = try? await family.play(named),
            seen["request"] == nil, seen["$unsayable"] == nil
        else { return await family.verdict(named).0 }
        // Of a case that is only described nothing but the error is known.
        let error = seen.members.filter { $0.key == "error" }
        return family.verdict(named, on: .object(error)).0
    }

    /// The errors and exceptions that a case recorded.
    private static func errors(in output: GoldenValue) -> [GoldenValue] {
        let own: [GoldenValue?] = [output["error"], output["validateError"]]
        let parts = (output["partLog"]?.elements ?? []).flatMap { [$0, $0["error"] ?? .null] }
        return [output] + own.compactMap(\.self) + parts
    }

    private static let constants: GoldenValue = [
        "AFNetworkingOperationDidFinishNotification":
            .string(Notification.Name.networkingOperationDidFinish.rawValue),
        "AFNetworkingOperationDidStartNotification":
            .string(Notification.Name.networkingOperationDidStart.rawValue),
        "AFNetworkingOperationFailingURLRequestErrorKey":
            .string(NetworkingError.failingURLRequestKey),
        "AFNetworkingOperationFailingURLResponseDataErrorKey":
            .string(NetworkingError.failingURLResponseDataKey),
        "AFNetworkingOperationFailingURLResponseErrorKey":
            .string(NetworkingError.failingURLResponseKey),
        "AFURLRequestSerializationErrorDomain":
            .string(NetworkingError.requestSerializationDomain),
        "AFURLResponseSerializationErrorDomain":
            .string(NetworkingError.responseSerializationDomain),
        "codes": [
            "NSURLErrorBadServerResponse": .int(NSURLErrorBadServerResponse),
            "NSURLErrorBadURL": .int(NSURLErrorBadURL),
            "NSURLErrorCancelled": .int(NSURLErrorCancelled),
            "NSURLErrorCannotDecodeContentData": .int(NSURLErrorCannotDecodeContentData),
        ],
    ]
}

/// Cases that only their recorded errors tell of; what went in follows from their names and from
/// the cases beside them.
enum DescribedCases {
    /// - Parameter error: the recorded error that names the case.
    static func named(_ name: String, by error: RecordedCase) -> RecordedCase? {
        if let serializer = error.input["serializer"] {
            return response(name, serializer, error)
        }
        guard let draft = drafts[name] else { return nil }
        let beside = recordings.known(draft.file).first { $0.id == draft.beside }
        guard let beside else { return nil }
        let input = GoldenValue.object(beside.input.members.merging(draft.input) { $1 })
        var output = beside.output.members
        if output["partLog"] != nil {
            output["partLog"] = [error.output]
        } else if error.output["exception"] != nil {
            output = error.output.members
        } else {
            output["error"] = error.output
        }
        return RecordedCase(
            id: name, input: input, output: .object(output), authority: error.authority,
            note: error.note)
    }

    private struct Draft {
        let file: String
        /// The case that differs from it by its input alone.
        let beside: String
        let input: [String: GoldenValue]
    }

    private static let drafts: [String: Draft] = [
        "file-nil-name": Draft(
            file: "multipart", beside: "file-nil-data",
            input: [
                "parts": [
                    [
                        "data": ["$data": "eA=="], "fileName": "a", "mimeType": "t/p",
                        "name": .absent, "t": "file",
                    ]
                ]
            ]),
        "file-nil-mime": Draft(
            file: "multipart", beside: "file-nil-data",
            input: [
                "parts": [
                    [
                        "data": ["$data": "eA=="], "fileName": "a", "mimeType": .absent,
                        "name": "f", "t": "file",
                    ]
                ]
            ]),
        "fileurl2-nil-name": Draft(
            file: "multipart", beside: "file-nil-data",
            input: [
                "parts": [
                    [
                        "content": ["$data": "dHdv"], "fileName": "other.name",
                        "mimeType": "x/y", "name": .absent, "path": "{tmp}/two.bin",
                        "t": "fileurl2",
                    ]
                ]
            ]),
        "json/nan/POST": Draft(
            file: "json-plist-requests", beside: "json/date/POST",
            input: ["params": ["d": ["$double": "nan"]]]),
        "plist/set/POST": Draft(
            file: "json-plist-requests", beside: "plist/null/POST",
            input: ["params": ["s": ["$set": ["a"]]]]),
    ]

    /// A response that only its error was recorded of.
    private static func response(
        _ name: String, _ serializer: GoldenValue, _ error: RecordedCase
    ) -> RecordedCase? {
        let what = name.split(separator: "/", maxSplits: 1).last ?? ""
        let data: GoldenValue? =
            if what.hasPrefix("nil-") || what.hasPrefix("badtype-nil-") {
                .absent
            } else if what.hasPrefix("empty-") || what.hasPrefix("badtype-empty-") {
                ["$data": ""]
            } else if what.hasPrefix("garbage-") {
                GoldenValue(Data((what == "garbage-200" ? "\u{0}\u{1}garbage" : "not valid").utf8))
            } else {
                recordings.known("response-serialization").first {
                    $0.input["serializer"] == serializer && $0.id.contains("/status-")
                }?.input["data"]
            }
        guard let data else { return nil }
        var input = error.input.members.filter {
            ["mime", "serializer", "status"].contains($0.key)
        }
        input["data"] = data
        return RecordedCase(
            id: name, input: .object(input), output: ["error": error.output],
            authority: error.authority, note: error.note)
    }
}

/// The recorded errors that whole operations end with, `operation/SCENARIO/OPERATION`.
enum OperationErrorCases {
    private static let prefix = "operation/"

    static func isOne(_ id: String) -> Bool { id.hasPrefix(prefix) }

    /// How each of them comes out; of another folder's one may be of a scenario that nothing here
    /// plays.
    static func verdicts() async throws -> [(id: String, verdict: ParityTally.Verdict)] {
        var verdicts: [(id: String, verdict: ParityTally.Verdict)] = []
        for recorded in try recordings.cases("errors") where isOne(recorded.id) {
            let id = recorded.input["scenario"]?.string
            if let scenario = Parity.scenarios.first(where: { $0.id == id }) {
                verdicts.append((recorded.id, await verdict(recorded, scenario)))
            } else if !Recordings.areFromElsewhere {
                verdicts.append((recorded.id, .other("No such scenario is played.")))
            } else if let guess = try id.flatMap(GoldenCase.named).flatMap(Scenario.init(plain:)),
                case .equal = await verdict(recorded, guess)
            {
                verdicts.append((recorded.id, .equal))
            } else {
                print("unplayed \(recorded.id)")
                verdicts.append((recorded.id, .absent))
            }
        }
        return verdicts
    }

    private static func verdict(
        _ recorded: RecordedCase, _ scenario: Scenario
    ) async -> ParityTally.Verdict {
        let name = recorded.input["op"]?.string ?? "A"
        do {
            let seen = try await Plays.observation(of: scenario).finals[name]?["error"] ?? .null
            let expected = ErrorRecord.expected(recorded.output)
            if seen == expected { return .equal }
            let isListed = DeliberateDifference.changes(of: scenario.id)
                .contains(.final(name, "error", seen))
            return isListed
                ? .deliberate : .other("The error is \(seen) and was recorded as \(expected).")
        } catch {
            return .other("\(error)")
        }
    }
}
