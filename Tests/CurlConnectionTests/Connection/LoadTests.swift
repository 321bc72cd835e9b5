import CurlConnection
import Foundation
import FoundationNetworking
import LoopbackServer
import Testing

@Suite("One load from start to end", .timeLimit(.minutes(1)))
struct LoadTests {
    @Test func `a delegate hears of an answer in order and ends once`() throws {
        try withFixture { fixture in
            let heard = fixture.load("/ok")
            fixture.thread.settle()
            #expect(heard.order == [.willSend, .response, .data, .finish])
            #expect(heard.ends == 1)
            #expect(heard.text == "hello world")
            #expect(heard.status == 200)
            #expect(heard.responses.first?.url == fixture.server.url("/ok"))
            #expect(heard.responses.first?.expectedContentLength == 11)
            #expect(!heard.wasOutsideItsThread)
        }
    }

    @Test func `a host that is a name is loaded as a number is`() throws {
        try withFixture { fixture in
            for _ in 0..<3 {
                var request = URLRequest(url: fixture.server.url("/ok"))
                request.url = URL(string: "http://localhost:\(fixture.server.port)/ok")
                request.timeoutInterval = 5
                #expect(fixture.load(request).text == "hello world")
                _ = fixture.thread.sync { TransportTable.closeAll() }
            }
        }
    }
}
