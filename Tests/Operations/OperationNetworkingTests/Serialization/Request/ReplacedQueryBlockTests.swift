import TestSupport

@testable import OperationNetworking

@Suite("A query block that is replaced", .timeLimit(.minutes(2)))
struct ReplacedQueryBlockTests {
    @Test func `what an old query block holds may ask the serializer when it is let go`() {
        let serializer = HTTPRequestSerializer()
        let answers = Log<Bool>()
        do {
            let asking = AskingAtEnd(answers) { _ = serializer.httpRequestHeaders }
            serializer.setQueryStringSerialization { _, _ in
                asking.touch()
                return ""
            }
        }
        serializer.setQueryStringSerialization { _, _ in "" }
        #expect(answers.all == [true])
    }
}
