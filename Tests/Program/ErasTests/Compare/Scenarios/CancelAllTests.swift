import TestSupport

@testable import LoopbackServer
@testable import eras

@Suite("The requests of cancel-all", .timeLimit(.minutes(1)))
struct CancelAllTests {
    private static let difference = CancelAll().changes.differences(in: .foundation).first

    private func outcome(_ count: Int, _ column: Column) throws -> String {
        let head = try Array("GET /gate/door HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            .withUnsafeBytes { try RequestHead($0) }
        return CancelAll().requests(
            (0..<count).map { number in
                RecordedRequest(head: head, connection: number, sequence: 1, isSecure: false)
            }, in: column)
    }

    @Test
    func `three to six requests are one declared outcome, whichever tasks URLSession still sends`()
        throws
    {
        let difference = try #require(Self.difference)
        for count in 3...6 {
            #expect(try outcome(count, .foundation) == difference.value)
        }
        #expect(try outcome(2, .foundation) == "2 GET /gate/door")
        #expect(try outcome(7, .foundation) == "7 GET /gate/door")
    }

    @Test
    func `on our transport what waits sends nothing: three requests are the only declared outcome`()
        throws
    {
        let difference = try #require(Self.difference)
        for column in [Column.connection, .session, .request] {
            for count in [2, 4, 6] {
                #expect(try outcome(count, column) == "\(count) GET /gate/door")
            }
            #expect(try outcome(3, column) == difference.reference)
        }
    }
}
