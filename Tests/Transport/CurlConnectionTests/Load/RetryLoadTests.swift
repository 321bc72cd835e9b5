import CurlConnection
import HTTPSemantics
import TestSupport

/// `RETRY_REQUESTS=10000` is the long form.
@Suite("Requests to a server that fails three times in ten", .timeLimit(.minutes(10)))
struct RetryLoadTests {
    private let turned = TurnableClock()
    private let count = Int(ProcessInfo.processInfo.environment["RETRY_REQUESTS"] ?? "") ?? 1_000

    @Test
    func
        `nearly all succeed, at hardly more than needed; no wait is cut short, and nothing done twice`()
        throws
    {
        try withWorld { world in
            let shop = FailingShop(turned)
            world.server.add("/orders") { shop.answer($0) }
            var policy = RetryPolicy()
            policy.maximumAttempts = 8
            policy.idempotencyKeyField = "Idempotency-Key"
            let heard = send(world, policy)
            let seen = shop.seen
            let succeeded = heard.count { $0.text == "ok" }
            let load = Double(seen.asked) / (Double(count) / 0.7)
            print(
                "retry: \(succeeded) of \(count) succeeded, \(seen.asked) tries, \(load) of the load,",
                "\(seen.waits) Retry-After, \(seen.early) cut short,",
                "\(seen.effects.values.reduce(0, +)) effects of \(seen.effects.count) orders")
            #expect(Double(succeeded) >= 0.999 * Double(count))
            // A request that fails three times in ten needs 1/0.7 tries.
            #expect(load < 1.1)
            #expect(seen.waits > 0 && seen.early == 0)
            #expect(seen.unkeyed == 0)
            #expect(seen.effects.values.allSatisfy { $0 == 1 })
            #expect(heard.enumerated().allSatisfy { $1.text != "ok" || seen.effects["\($0)"] == 1 })
        }
    }

    @Test func `without a key nothing is sent twice, though it was done and the answer was lost`()
        throws
    {
        try withWorld { world in
            let shop = FailingShop(turned)
            world.server.add("/orders") { shop.answer($0) }
            let heard = send(world, RetryPolicy())
            #expect(shop.seen.asked == count)
            #expect(shop.seen.effects.values.allSatisfy { $0 == 1 })
            #expect(heard.allSatisfy { $0.ends == 1 })
        }
    }

    /// Sends one order after another, and turns the clock until all have ended.
    private func send(_ world: TestWorld, _ policy: RetryPolicy) -> [Heard] {
        let clock = turned.clock
        let recorders = (0..<count).map { number in
            let recorder = Recorder()
            var request = world.request("/orders", "POST")
            request.setValue("\(number)", forHTTPHeaderField: "X-Order")
            request.httpBody = Data("order".utf8)
            // No limit without a byte, whose moments the test would turn to.
            request.timeoutInterval = 0
            world.thread.start(request, recorder) {
                $0.configuration.retryPolicy = policy
                $0.configuration.clock = clock
            }
            return recorder
        }
        let deadline = Date(timeIntervalSinceNow: 10 * patience)
        for recorder in recorders {
            while !recorder.heard.hasEnded, Date() < deadline {
                if turned.waitForAlarms(within: 0.01) { turned.turnToNext() }
            }
        }
        return recorders.map { $0.atEnd() }
    }
}

/// Does what an order asks for once for each key, and fails three times in ten: half of them before it is
/// done, and half behind that, so that the answer is lost.
private final class FailingShop: Sendable {
    struct Seen {
        var asked: UInt64 = 0
        var unkeyed = 0
        /// How often it asked for a wait, and how often somebody came sooner.
        var waits = 0
        var early = 0
        var keys: Set<String> = []
        /// By order.
        var effects: [String: Int] = [:]
        var notBefore: [String: Date] = [:]
    }

    private let state = Locked(Seen())
    private let turned: TurnableClock

    init(_ turned: TurnableClock) {
        self.turned = turned
    }

    var seen: Seen { state.withLock { $0 } }

    /// Every request fails with the same chance, independent of all others, and of the clock.
    func answer(_ request: RecordedRequest) -> ScriptedResponse {
        let order = request.headers["X-Order"] ?? ""
        let key = request.headers["Idempotency-Key"]
        return state.withLock { seen in
            seen.asked += 1
            if key == nil { seen.unkeyed += 1 }
            let now = turned.date
            // The calendar's numbers are rounded to a tenth of a microsecond.
            if let moment = seen.notBefore.removeValue(forKey: order), now < moment - 0.001 {
                seen.early += 1
            }
            let roll = Self.hash(seen.asked) % 100
            if roll < 15 { return unavailable(order, now, roll, &seen) }
            if key.map({ seen.keys.insert($0).inserted }) ?? true {
                seen.effects[order, default: 0] += 1
            }
            return roll < 30 ? ScriptedResponse([.close]) : .text("ok")
        }
    }

    /// A third names no moment, a third seconds, and a third a date.
    private func unavailable(
        _ order: String, _ now: Date, _ roll: UInt64, _ seen: inout Seen
    ) -> ScriptedResponse {
        guard roll >= 5 else { return .status(503) }
        seen.waits += 1
        if roll < 10 {
            seen.notBefore[order] = now + 9
            return .status(503, headers: [("Retry-After", "9")])
        }
        let moment = Date(timeIntervalSince1970: (now.timeIntervalSince1970 + 30).rounded(.down))
        seen.notBefore[order] = moment
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return .status(503, headers: [("Retry-After", format.string(from: moment))])
    }

    private static func hash(_ number: UInt64) -> UInt64 {
        var hash = number &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 31
        hash = hash &* 0xBF58_476D_1CE4_E5B9
        return hash >> 33
    }
}
