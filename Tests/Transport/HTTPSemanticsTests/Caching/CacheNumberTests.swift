import TestSupport

@testable import HTTPSemantics

/// Numbers of servers that mean harm, through the cache.
@Suite("Numbers of the wire in the cache", .timeLimit(.minutes(5)))
struct CacheNumberTests {
    @Test(arguments: UInt64(0)..<6)
    func `no head stops the process, whatever its numbers, and each decision says why`(
        seed: UInt64
    ) throws {
        var heads = HostileHeads(seed: seed)
        let cache = try ResponseCache(memoryCapacity: 1 << 20, usesHeuristicFreshness: true)
        let origin = CacheFixture(cache)
        for _ in 0..<300 {
            let lines = heads.lines()
            let status = try #require(Int(lines[0].dropFirst(9).prefix(3)))
            let fields = lines.dropFirst().map { line in
                let parts = line.split(
                    separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
            }
            let answer = CacheFixture.answer(
                status, fields, at: TimeInterval(Int.random(in: 0...3, using: &heads.random)))
            origin.exchange(answer)
            for seconds: TimeInterval in [-1e9, 0, 1, 1e9, 1e12] {
                let decision = origin.decide(at: seconds)
                #expect(!decision.description.isEmpty)
                _ = decision.answer?.fields
                if let stored = decision.answer, status == 304 {
                    _ = cache.freshen(stored, with: answer, to: CacheFixture.request())
                }
                _ = cache.staleAnswer(
                    for: CacheFixture.request(), on: .status(503), at: CacheFixture.at(seconds))
            }
        }
    }
}
