import HTTPSemantics
import TestSupport

@testable import CurlConnection

/// Numbers of servers that mean harm, through everything that reads a head.
@Suite("Numbers of the wire", .timeLimit(.minutes(5)))
struct WireNumberTests {
    private static func head(_ lines: [String]) -> ResponseHead? {
        var rules = HeadRules(limit: LoadLimits().head)
        var parser = ResponseHeadParser()
        for line in lines + [""] {
            let head = Data((line + "\r\n").utf8).withUnsafeBytes { bytes in
                rules.fault(in: bytes) == nil ? parser.take(bytes) : nil
            }
            if let head { return head }
        }
        return nil
    }

    @Test(arguments: UInt64(0)..<6)
    func `no head stops the process, whatever its numbers, and each reading is sane`(seed: UInt64)
        throws
    {
        var heads = HostileHeads(seed: seed)
        let url = try #require(URL(string: "http://h.test/a"))
        let cookies = CookieStorage()
        for _ in 0..<300 {
            let lines = heads.lines()
            guard let head = Self.head(lines) else { continue }
            if case .accept = HeadRules.verdict(on: head) {
                let made = try #require(head.response(for: url, isDecoded: false))
                #expect(made.expectedContentLength >= -1, "\(lines)")
            }
            cookies.store(
                setCookieFields: head.values(of: "Set-Cookie"), from: url, mainDocument: nil,
                at: Date(timeIntervalSince1970: 1_700_000_000))
            _ = cookies.cookies(for: url)
        }
    }

    @Test(arguments: UInt64(0)..<2)
    func `every load of such an answer ends, once`(seed: UInt64) throws {
        try withWorld { world in
            var source = HostileHeads(seed: seed &+ 100)
            let heads = (0..<40).map { _ in source.lines() }
            world.server.add("/numbers") { request in
                let index = Int(request.target.drop { $0 != "?" }.dropFirst()) ?? 0
                let text = heads[index].joined(separator: "\r\n")
                return ScriptedResponse([
                    .bytes(Data((text + "\r\nConnection: close\r\n\r\nhello").utf8)), .close,
                ])
            }
            for index in 0..<40 {
                let heard = world.fetch("/numbers?\(index)")
                #expect(heard.ends == 1, "\(heads[index])")
            }
        }
    }
}
