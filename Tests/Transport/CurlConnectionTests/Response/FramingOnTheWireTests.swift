import CurlConnection
import TestSupport

@Suite("Heads by which two readers would find two bodies", .timeLimit(.minutes(2)))
struct FramingOnTheWireTests {
    @Test func `an interim head frames no body, whatever stands in it before`() throws {
        try withWorld { world in
            let lines = [
                "HTTP/1.1 103 Early Hints", "HTTP/1.1 200 OK: b",
                "Transfer-Encoding: chunked", "", "HTTP/1.1 200 OK", "", "5", "hello", "0", "", "",
            ]
            world.server.add("/odd") { _ in
                ScriptedResponse([.bytes(Data(lines.joined(separator: "\r\n").utf8)), .close])
            }
            let heard = world.load("/odd")
            #expect(heard.code == .badServerResponse)
            #expect(heard.text == "")
        }
    }
}
