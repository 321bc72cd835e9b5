import CurlConnection
import Foundation
import FoundationNetworking
import LoopbackServer
import Testing

/// What an origin costs after it was used once: nothing that stays.
@Suite("Many origins", .timeLimit(.minutes(20)))
struct OriginGrowthTests {
    /// Set `ORIGINS=100000` for the long form.
    private static let count =
        ProcessInfo.processInfo.environment["ORIGINS"].flatMap { Int($0) } ?? 5_000

    @Test func `distinct origins take no more memory and time the more there were`() async {
        await #expect(processExitsWith: .success) {
            try withFixture { fixture in
                var request = fixture.request("/ok")
                request.cachePolicy = .reloadIgnoringLocalCacheData
                var tenths: [(seconds: TimeInterval, memory: Int)] = []
                for tenth in 0..<10 {
                    let start = Date()
                    for number in 0..<(Self.count / 10) {
                        let name = "many-\(tenth)-\(number).lookup.test"
                        request.url = URL(string: "http://\(name):\(fixture.server.port)/ok")
                        #expect(fixture.load(request).text == "hello world")
                    }
                    fixture.server.resetLog()
                    tenths.append((-start.timeIntervalSinceNow, residentMemory()))
                    print("origins tenth \(tenth): \(tenths[tenth])")
                }
                #expect(tenths[9].memory - tenths[0].memory < 12 << 20)
                #expect(tenths[9].seconds < tenths[1].seconds * 2 + 1)
            }
        }
    }
}

/// Bytes of this process that are in memory.
private func residentMemory() -> Int {
    let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    return (pages ?? 0) * 4096
}
