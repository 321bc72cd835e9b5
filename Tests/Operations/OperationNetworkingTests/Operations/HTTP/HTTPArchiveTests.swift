import TestSupport

@testable import OperationNetworking

/// An HTTP operation's serializer comes back from an archive as what it was (CO-1, wound 43).
@Suite("Archives of an HTTP operation", .timeLimit(.minutes(5)))
struct HTTPArchiveTests {
    @Test(arguments: [
        HTTPResponseSerializer(), JSONResponseSerializer(), PropertyListResponseSerializer(),
        XMLParserResponseSerializer(), XMLDocumentResponseSerializer(),
        CompoundResponseSerializer(responseSerializers: [
            JSONResponseSerializer(), HTTPResponseSerializer(),
        ]), OwnSerializer(),
    ])
    func `each kind of serializer comes back, also a caller's own`(
        serializer: HTTPResponseSerializer
    ) throws {
        let operation = HTTPRequestOperation(request: URLRequest(url: URL(filePath: "/")))
        serializer.acceptableStatusCodes = [7]
        operation.responseSerializer = serializer
        for copy in [try again(operation), operation.copy() as? HTTPRequestOperation] {
            let found = try #require(copy?.responseSerializer)
            #expect(found !== serializer)
            #expect(type(of: found) == type(of: serializer))
            #expect(found.acceptableStatusCodes == [7])
        }
    }

    @Test func `a finished one makes its object anew from what was archived`() async throws {
        let world = TestWorld()
        world.server.add("/json") { _ in .json(#"{"a":[1]}"#) }
        let operation = world.httpOperation("/json")
        operation.responseSerializer = JSONResponseSerializer()
        await operation.run()
        let copy = try again(operation)
        #expect(copy.isFinished)
        #expect((copy.responseObject as? [String: [Int]]) == ["a": [1]])
        #expect(copy.response?.statusCode == 200)
    }
}

/// A caller's own; at the top level, so that an archive can name it.
final class OwnSerializer: JSONResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass and adds nothing.
}
