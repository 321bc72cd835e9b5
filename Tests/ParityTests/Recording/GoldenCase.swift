import Foundation

/// One scenario as it was recorded while the original ran.
struct GoldenCase: Decodable, Sendable {
    /// What was recorded of a scenario; `canonical` is the commonest of 16 runs.
    struct Output: Decodable, Sendable {
        var canonical: [[String: JSONValue]]
        var otherOrders: [OtherOrder]
        var orderVariesBetween: [[Int]]
        var final: [String: [String: JSONValue]]
        var extra: [String: JSONValue]
    }

    /// Another order that was seen.
    struct OtherOrder: Decodable, Sendable {
        let events: [[String: JSONValue]]
    }

    private struct Input: Decodable, Sendable {
        let description: String
    }

    static let file = "lifecycle-traces"

    let id: String
    private let input: Input
    let note: String
    var output: Output

    /// What was done, in the recorder's words.
    var description: String { input.description }

    /// The order between operations is the queue's, not the original's.
    var isScheduledByFoundation: Bool { note.contains("scheduling between operations") }

    /// The sizes of the pieces come from the recorder's stand-in for the connection.
    var hasChunksOfTheStandIn: Bool { note.contains("chunk sizes of uploadProgress") }

    /// Every scenario of the package's own file; the failure is thrown to each test that asks.
    static let own = Result { () throws -> [GoldenCase] in
        guard let url = Bundle.module.url(forResource: "Golden/\(file)", withExtension: "json")
        else { throw CocoaError(.fileNoSuchFile) }
        return try decode(Data(contentsOf: url))
    }

    /// Every scenario that is compared: of the folder that `GOLDEN_DIR` names, or the own ones.
    static let all = Result { try decode(GoldenFile.bytes(of: file)) }

    /// Whether the scenarios come from another folder than the package's own.
    static var areFromElsewhere: Bool {
        ProcessInfo.processInfo.environment["GOLDEN_DIR"].map { !$0.isEmpty } ?? false
    }

    /// The recording of that name, if there is one.
    static func named(_ id: String) throws -> GoldenCase? {
        try all.get().first { $0.id == id } ?? own.get().first { $0.id == id }
    }

    private static func decode(_ data: Data) throws -> [GoldenCase] {
        try JSONDecoder().decode([GoldenCase].self, from: data)
    }
}
