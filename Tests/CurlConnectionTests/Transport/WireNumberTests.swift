import Foundation
import FoundationNetworking
import LoopbackServer
import Testing

@testable import CurlConnection

/// Numbers of servers that mean harm, through everything that reads a head.
@Suite("Numbers of the wire", .timeLimit(.minutes(5)))
struct WireNumberTests {
    static let numbers = [
        "0", "1", "5", "4294967296", "9223372036854775806", "9223372036854775807",
        "9223372036854775808", "18446744073709551615", "18446744073709551616",
        "1" + String(repeating: "0", count: 40), "-1", "-9223372036854775808", "+5", "007", "",
        " ", "5 ", "0x10", "1e9", "5.5", "٣", "--5", "NaN",
    ]

    private static let dates = [
        "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT", "Tue, 14 Nov 2023 22:13:20 GMT",
        "Tue, 99 Nov 9999 99:99:99 GMT", "Tuesday, 14-Nov-99 22:13:20 GMT",
        "Tue Nov 14 22:13:20 2023", "0", "-1", "",
    ]

    /// Makes heads; what they say of their bodies may be anything.
    private struct Heads {
        var random: SeededNumbers

        mutating func number() -> String { numbers.randomElement(using: &random) ?? "" }
        mutating func date() -> String { dates.randomElement(using: &random) ?? "" }

        mutating func lines() -> [String] {
            let status = [200, 203, 206, 301, 304, 404, 416, 500].randomElement(using: &random)
            let count = Int.random(in: 0...8, using: &random)
            return ["HTTP/1.1 \(status ?? 200) X"] + (0..<count).map { _ in field() }
        }

        private mutating func field() -> String {
            switch Int.random(in: 0..<16, using: &random) {
            case 0: "Content-Length: " + number()
            case 1: "Content-Length: " + number() + ", " + number()
            case 2: "Content-Range: bytes \(number())-\(number())/\(number())"
            case 3: "Content-Range: bytes */\(number())"
            case 4: "Age: " + number()
            case 5: "Cache-Control: max-age=\(number())"
            case 6: "Cache-Control: max-age=\(number()), stale-if-error=\(number())"
            case 7: "Expires: " + date()
            case 8: "Date: " + date()
            case 9: "Last-Modified: " + date()
            case 10: "ETag: \"\(number())\""
            case 11: "Retry-After: " + number()
            case 12: "Set-Cookie: a=b; Max-Age=\(number()); Expires=\(date())"
            case 13: "WWW-Authenticate: Digest realm=\"r\", nonce=\"\(number())\", nc=1"
            case 14: "Keep-Alive: timeout=\(number()), max=\(number())"
            default: "Vary: " + number()
            }
        }
    }

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
        var heads = Heads(random: SeededNumbers(seed: seed))
        let url = try #require(URL(string: "http://h.test/a"))
        let cookies = CookieStorage()
        let cache = try ResponseCache(memoryCapacity: 1 << 20, usesHeuristicFreshness: true)
        let origin = try CacheFixture(cache)
        for _ in 0..<300 {
            let lines = heads.lines()
            guard let head = Self.head(lines) else { continue }
            let late = LateResponse(head: head, url: url, isDecoded: false)
            #expect(late.expectedContentLength >= -1, "\(lines)")
            if case .accept = HeadRules.verdict(on: head) {
                let made = try #require(late.made())
                #expect(made.expectedContentLength >= -1, "\(lines)")
            }
            cookies.store(
                setCookieFields: head.values(of: "Set-Cookie"), from: url, mainDocument: nil,
                at: CacheFixture.start)
            _ = cookies.cookies(for: url)
            let answer = CacheFixture.answer(
                head.statusCode, head.fields.map { ($0.name, $0.value) },
                at: TimeInterval(Int.random(in: 0...3, using: &heads.random)))
            origin.exchange(answer)
            for seconds: TimeInterval in [-1e9, 0, 1, 1e9, 1e12] {
                let decision = origin.decide(at: seconds)
                #expect(!decision.description.isEmpty)
                _ = decision.answer?.fields
                if let stored = decision.answer, head.statusCode == 304 {
                    _ = cache.freshen(stored, with: answer, to: CacheFixture.request())
                }
                _ = cache.staleAnswer(
                    for: CacheFixture.request(), on: .status(503), at: CacheFixture.at(seconds))
            }
        }
    }

    @Test(arguments: UInt64(0)..<2)
    func `every load of such an answer ends, once`(seed: UInt64) throws {
        try withStoreRoom { room in
            var source = Heads(random: SeededNumbers(seed: seed &+ 100))
            let heads = (0..<40).map { _ in source.lines() }
            room.server.add("/numbers") { request in
                let index = Int(request.target.drop { $0 != "?" }.dropFirst()) ?? 0
                let text = heads[index].joined(separator: "\r\n")
                return ScriptedResponse([
                    .bytes(Data((text + "\r\nConnection: close\r\n\r\nhello").utf8)), .close,
                ])
            }
            for index in 0..<40 {
                let heard = room.load("/numbers?\(index)")
                #expect(heard.ends == 1, "\(heads[index])")
            }
        }
    }
}
