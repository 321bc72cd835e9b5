import TestSupport

@testable import CurlConnection

@Suite("What is noted of an exchange", .timeLimit(.minutes(1)))
struct ExchangeTimesTests {
    private func transaction(_ times: ExchangeTimes) -> TransactionMetrics {
        let exchange = MeasuredExchange(isDecoded: false, isProxy: false)
        exchange.times = times
        return TransactionMetrics(exchange, from: .networkLoad, CalendarClock(at: 1))
    }

    @Test func `parts add up wherever an exchange ends`() {
        for end in 1...10 {
            for isSecure in [false, true] {
                var times = ExchangeTimes()
                times.fetchStart = 100
                if end > 1 { times.looksUp(at: 107) }
                if end > 2 { times.lookedUp(at: 118) }
                if end > 3 { times.connects(at: 125) }
                if end > 4, isSecure { times.secures(at: 131) }
                if end > 5 { times.connected(at: 144) }
                if end > 6 { times.sends(at: 150) }
                if end > 7 { times.sent(body: 10, at: 163) }
                if end > 8 { times.responds(at: 170) }
                times.ended(at: 200)
                let durations = transaction(times).durations
                #expect(durations.total == .nanoseconds(100))
                #expect(durations.other >= .zero)
                #expect(durations.waitingForConnection == .nanoseconds(end > 1 ? 7 : 100))
            }
        }
    }

    @Test func `a response that begins before the request's end shortens the sending`() {
        var times = ExchangeTimes()
        times.fetchStart = 100
        times.sends(at: 110)
        times.responds(at: 120)
        times.sent(body: 5, at: 150)
        times.ended(at: 160)
        let durations = transaction(times).durations
        #expect(durations.request == .nanoseconds(10))
        #expect(durations.waitingForResponse == .zero)
        #expect(durations.response == .nanoseconds(40))
        #expect(durations.total == .nanoseconds(60))
    }

    @Test func `the first socket counts, and a look-up is over with it`() {
        var times = ExchangeTimes()
        times.looksUp(at: 1)
        times.looksUp(at: 2)
        times.connects(at: 3)
        times.connects(at: 4)
        times.lookedUp(at: 5)
        #expect(times.lookUpStart == 1 && times.lookUpEnd == 3 && times.connectStart == 3)
    }

    @Test func `bytes of a handle count for the exchange that sent them`() {
        var times = ExchangeTimes()
        times.count(sent: 120)
        var next = times.next(at: 9)
        next.count(sent: 320)
        #expect(times.sentHead == 120 && next.sentHead == 200 && next.fetchStart == 9)
        var anew = times.next(at: 9)
        anew.usesNewHandle()
        anew.count(sent: 80)
        #expect(anew.sentHead == 80)
    }

    @Test func `dates keep the order of instants`() {
        var numbers = SeededNumbers(seed: 7)
        let clock = CalendarClock(at: MonotonicClock.now)
        #expect(clock.date(of: 0) == nil)
        for _ in 0..<1_000 {
            let first = UInt64.random(in: 1...(1 << 60), using: &numbers)
            let second = first + UInt64.random(in: 1_000...1_000_000, using: &numbers)
            let dates = [first, second].compactMap(clock.date)
            #expect(dates.count == 2 && dates[0] < dates[1])
        }
        let now = clock.date(of: MonotonicClock.now)
        #expect(abs(now?.timeIntervalSinceNow ?? 100) < 60)
    }

    @Test func `runs of one load are one list by one clock`() {
        var first = RequestMetrics()
        first.readClock(at: 1)
        first.instants.started = 10
        first.instants.responseCompleted = 20
        first.add(transaction(ExchangeTimes()))
        first.redirectCount = 1
        var second = first
        second.instants.started = 30
        second.instants.responseCompleted = 40
        var both = RequestMetrics()
        both.append(first)
        both.append(second)
        #expect(both.transactionMetrics.count == 2)
        #expect(both.redirectCount == 2)
        #expect(both.instants.started == 10 && both.instants.responseCompleted == 40)
        #expect(both.durations.total == .nanoseconds(30))
    }
}
