import Foundation

@testable import OperationNetworking

/// The errors that the original makes itself, and its constants.
enum ErrorCases {
    /// How the case came out that an error of a request names, `FILE.json#ID`; nil for the errors
    /// of responses, which are compared here.
    static func verdictElsewhere(_ recorded: RecordedCase) throws -> ParityTally.Verdict? {
        let name = recorded.input["case"]?.string?.split(separator: "#", maxSplits: 1) ?? []
        guard name.count == 2, name[0] != "response-serialization.json" else { return nil }
        let file = try GoldenFile(String(name[0]).replacing(".json", with: ""))
        guard let named = file.cases.first(where: { $0.id == String(name[1]) }) else {
            return .absent
        }
        return switch file.name {
        case "base-url": BaseURLCases.verdict(named)
        case "multipart": MultipartDifferences.verdict(named).0
        default: RequestDifferences.verdict(named).0
        }
    }

    /// The cases that errors name: those at hand, then those of this package.
    static func responses() throws -> [RecordedCase] {
        let name = "response-serialization"
        let own = Bundle.module.url(
            forResource: name, withExtension: "json", subdirectory: "Golden")
        let others = try own.map {
            try JSONDecoder().decode([RecordedCase].self, from: Data(contentsOf: $0))
        }
        return try GoldenFile(name).cases + (others ?? [])
    }

    /// - Parameter responses: the cases that an error of a response names.
    static func verdict(_ recorded: RecordedCase, _ responses: [RecordedCase])
        -> ParityTally.Verdict
    {
        if recorded.id == "constants" { return verdict(recorded.output, constants) }
        guard let seen = ResponseCases.seen(input(recorded, responses)) else { return .later }
        return verdict(recorded.output, seen["error"] ?? .null)
    }

    private static func verdict(_ recorded: GoldenValue, _ seen: GoldenValue)
        -> ParityTally.Verdict
    {
        if seen == recorded { return .equal }
        return ResponseDifferences.differsInWordsAlone(seen, recorded)
            ? .foundation : .other("\(seen), recorded as \(recorded)")
    }

    /// What was put in: as the case tells that it names, or, where that is not among the cases at
    /// hand, as the name itself tells.
    private static func input(_ recorded: RecordedCase, _ responses: [RecordedCase])
        -> GoldenValue
    {
        let name = recorded.input["case"]?.string?.split(separator: "#").last.map(String.init) ?? ""
        if let named = responses.first(where: { $0.id == name }) { return named.input }
        let serializer = recorded.input["serializer"] ?? .null
        var input = recorded.input.members
        let what = name.split(separator: "/", maxSplits: 1).last.map(String.init) ?? ""
        if what.hasPrefix("nil-") || what.hasPrefix("badtype-nil-") {
            input["data"] = .object(["$nil": .bool(true)])
        } else if what.hasPrefix("empty-") || what.hasPrefix("badtype-empty-") {
            input["data"] = .object(["$data": .string("")])
        } else if what.hasPrefix("garbage-") {
            let body = what == "garbage-200" ? "\u{0}\u{1}garbage" : "not valid"
            input["data"] = Seen.object(Data(body.utf8))
        } else {
            let alike = responses.first {
                $0.input["serializer"] == serializer && $0.id.contains("/status-")
            }
            input["data"] = alike?.input["data"]
        }
        return .object(input)
    }

    private static var constants: GoldenValue {
        .object([
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
            "codes": .object([
                "NSURLErrorBadServerResponse": .int(NSURLErrorBadServerResponse),
                "NSURLErrorBadURL": .int(NSURLErrorBadURL),
                "NSURLErrorCancelled": .int(NSURLErrorCancelled),
                "NSURLErrorCannotDecodeContentData": .int(NSURLErrorCannotDecodeContentData),
            ]),
        ])
    }
}
