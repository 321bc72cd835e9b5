import Foundation

/// One scenario as it was recorded while the original ran.
struct GoldenCase: Decodable, Sendable {
    /// What was recorded of a scenario; `canonical` is the commonest of 16 runs.
    struct Output: Decodable, Sendable {
        let canonical: [[String: JSONValue]]
        let otherOrders: [OtherOrder]
        let orderVariesBetween: [[Int]]
        let final: [String: [String: JSONValue]]
        let extra: [String: JSONValue]
    }

    /// Another order that was seen.
    struct OtherOrder: Decodable, Sendable {
        let events: [[String: JSONValue]]
    }

    let id: String
    let note: String
    let output: Output

    /// The order between operations is the queue's, not the original's.
    var isScheduledByFoundation: Bool { note.contains("scheduling between operations") }

    /// The sizes of the pieces come from the recorder's stand-in for the connection.
    var hasChunksOfTheStandIn: Bool { note.contains("chunk sizes of uploadProgress") }

    /// Every scenario, in the file's order; the failure is thrown to each test that asks.
    static let all = Result { () throws -> [GoldenCase] in
        guard
            let file = Bundle.module.url(
                forResource: "Golden/lifecycle-traces", withExtension: "json")
        else { throw CocoaError(.fileNoSuchFile) }
        return try JSONDecoder().decode([GoldenCase].self, from: Data(contentsOf: file))
    }

    /// The scenario of that name.
    static func named(_ id: String) throws -> GoldenCase {
        guard let found = try all.get().first(where: { $0.id == id }) else {
            throw CocoaError(.keyValueValidation)
        }
        return found
    }
}
