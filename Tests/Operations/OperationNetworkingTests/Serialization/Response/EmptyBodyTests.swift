import TestSupport

@testable import OperationNetworking

/// One table for bodies that say nothing (wound 36): what a serializer makes of each, for every
/// status.
/// RE-9 and RE-13.
@Suite("Empty bodies", .timeLimit(.minutes(5)))
struct EmptyBodyTests {
    enum Outcome: Equatable {
        case nothing, object, parseError
    }

    static let bodies: [(name: String, data: Data?)] = [
        ("absent", nil), ("empty", Data()), ("space", Data(" ".utf8)), ("newline", Data("\n".utf8)),
        ("null", Data("null".utf8)),
    ]

    struct Row: Sendable {
        let serializer: HTTPResponseSerializer
        let type: String
        /// In the order of `bodies`.
        let outcomes: [Outcome]
    }

    static let rows = [
        Row(
            serializer: HTTPResponseSerializer(), type: "text/plain",
            outcomes: [.nothing, .object, .object, .object, .object]),
        Row(
            serializer: JSONResponseSerializer(), type: "application/json",
            outcomes: [.nothing, .nothing, .nothing, .parseError, .parseError]),
        Row(
            serializer: JSONResponseSerializer(readingOptions: .fragmentsAllowed),
            type: "application/json",
            outcomes: [.nothing, .nothing, .nothing, .parseError, .object]),
        Row(
            serializer: PropertyListResponseSerializer(), type: "application/x-plist",
            outcomes: [.nothing, .parseError, .object, .object, .object]),
        Row(
            serializer: XMLParserResponseSerializer(), type: "application/xml",
            outcomes: [.object, .object, .object, .object, .object]),
        Row(
            serializer: XMLDocumentResponseSerializer(), type: "application/xml",
            outcomes: [.nothing, .parseError, .parseError, .parseError, .parseError]),
        Row(
            serializer: CompoundResponseSerializer(responseSerializers: [JSONResponseSerializer()]),
            type: "application/json",
            outcomes: [.nothing, .object, .object, .object, .object]),
    ]

    @Test(arguments: rows)
    func `a body that says nothing`(row: Row) throws {
        for (body, outcome) in zip(Self.bodies, row.outcomes) {
            for status in [200, 204, 304] {
                let response = Responses.http(status, row.type)
                let result = row.serializer.responseObject(for: response, data: body.data)
                let place = Comment(rawValue: "\(type(of: row.serializer)) \(body.name) \(status)")
                #expect((result.object != nil) == (outcome == .object), place)
                let isRefused = status == 304
                let validation = outcome == .parseError ? result.nsError?.beneath : result.nsError
                #expect(validation?.code == (isRefused ? -1011 : nil), place)
                #expect((result.error != nil) == (isRefused || outcome == .parseError), place)
            }
        }
    }
}
