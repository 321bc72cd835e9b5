import Foundation
import ParitySupport
import RecordedTraces

/// What AFNetworking 2.6.3 did.
let recordings = Recordings(
    [
        "base-url", "errors", "json-plist-requests", GoldenCase.file, "multipart",
        "query-strings", "response-serialization",
    ], in: .module, texts: [GoldenCase.file: Original.afnetworking.recordings])

/// One scenario as it was recorded while the original ran.
struct GoldenCase: Sendable {
    /// What was recorded of a scenario; `canonical` is the commonest of 16 runs.
    struct Output: Sendable {
        var canonical: [[String: GoldenValue]]
        var otherOrders: [OtherOrder]
        var orderVariesBetween: [[Int]]
        var final: [String: [String: GoldenValue]]
        var extra: [String: GoldenValue]
    }

    /// Another order that was seen.
    struct OtherOrder: Sendable {
        let events: [[String: GoldenValue]]
    }

    static let file = "lifecycle-traces"

    let id: String
    /// What was done, in the recorder's words.
    let description: String
    let note: String
    var output: Output

    /// The order between operations is the queue's, not the original's.
    var isScheduledByFoundation: Bool { note.contains("scheduling between operations") }

    /// The sizes of the pieces come from the recorder's stand-in for the connection.
    var hasChunksOfTheStandIn: Bool { note.contains("chunk sizes of uploadProgress") }

    /// Every scenario of the package's own file; the failure is thrown to each test that asks.
    static let own = Result { try recordings.own(file).map(GoldenCase.init) }

    /// Every scenario that is compared: of the folder that `GOLDEN_DIR` names, or the own ones.
    static let all = Result { try recordings.cases(file).map(GoldenCase.init) }

    /// The recording of that name, if there is one.
    static func named(_ id: String) throws -> GoldenCase? {
        try all.get().first { $0.id == id } ?? own.get().first { $0.id == id }
    }

    /// Stands for a recording where all events are listed, and nothing is recorded.
    static func listed(_ id: String) -> GoldenCase? {
        guard DeliberateDifference.listsEvents(of: id) else { return nil }
        return GoldenCase(RecordedCase(["id": .string(id)]))
    }

    private init(_ recorded: RecordedCase) {
        id = recorded.id
        description = recorded.input["description"]?.string ?? ""
        note = recorded.note
        output = Output(recorded.output)
    }
}

extension GoldenCase.Output {
    fileprivate init(_ output: GoldenValue) {
        func events(_ value: GoldenValue?) -> [[String: GoldenValue]] {
            value?.elements.map(\.members) ?? []
        }
        canonical = events(output["canonical"])
        otherOrders = (output["otherOrders"]?.elements ?? []).map {
            GoldenCase.OtherOrder(events: events($0["events"]))
        }
        orderVariesBetween = (output["orderVariesBetween"]?.elements ?? []).map {
            $0.elements.compactMap(\.int)
        }
        final = (output["final"]?.members ?? [:]).mapValues(\.members)
        extra = output["extra"]?.members ?? [:]
    }
}

// As the recordings of scenarios write them.
extension GoldenValue {
    /// Yes and no are 1 and 0.
    init(_ flag: Bool) { self = .int(flag ? 1 : 0) }

    /// A text, or null.
    init(_ text: String?) { self = text.map { .string($0) } ?? .null }
}
