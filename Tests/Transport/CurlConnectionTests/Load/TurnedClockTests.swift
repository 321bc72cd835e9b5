import CurlConnection
import TestSupport

/// What goes by a configuration's clock besides the limits, which have suites of their own.
@Suite("Loads by a clock that is turned", .timeLimit(.minutes(1)))
struct TurnedClockTests {
    private let clock = TurnableClock()

    @Test func `a stored answer ages by it`() throws {
        try withWorld { world in
            world.configuration.clock = clock.clock
            world.server.add("/aging") { [clock] _ in
                .text(
                    "x",
                    headers: [("Cache-Control", "max-age=600"), ("Date", fieldValue(clock.date))])
            }
            for (seconds, requests) in [(0.0, 1), (598, 1), (4, 2), (598, 2), (4, 3)] {
                clock.turn(by: seconds)
                #expect(world.fetch("/aging").text == "x")
                #expect(world.server.requests.count == requests, "after \(seconds) s")
            }
        }
    }

    @Test func `a cookie expires by it`() throws {
        try withWorld { world in
            world.configuration.clock = clock.clock
            let cookies = CookieStorage(clock: clock.clock)
            world.configuration.cookieStorage = cookies
            world.server.add("/set") { _ in .text("x", headers: [("Set-Cookie", "a=b; Max-Age=60")])
            }
            _ = world.fetch("/set")
            clock.turn(by: 59)
            _ = world.fetch("/ok")
            #expect(world.server.requests.last?.headers["Cookie"] == "a=b")
            #expect(cookies.cookies.count == 1)
            clock.turn(by: 1)
            _ = world.fetch("/ok")
            #expect(world.server.requests.last?.headers["Cookie"] == nil)
            #expect(cookies.cookies.isEmpty)
        }
    }

    @Test func `a connection that is kept for a minute is closed, and not before`() throws {
        try withWorld { world in
            let recorder = Recorder()
            world.start(world.request("/ok"), recorder, by: clock)
            #expect(recorder.atEnd().text == "hello world")
            world.turn(clock, by: 59.9)
            #expect(world.server.statistics.connectionsOpen == 1)
            clock.turn(by: 0.1)
            #expect(world.serverSeesTheClose())
        }
    }

    @Test func `loads of two clocks share no connection and no time`() throws {
        try withWorld { world in
            let other = TurnableClock()
            let recorders = [clock, other].map { clock in
                let recorder = Recorder()
                world.start(world.request("/gate/g"), recorder, by: clock)
                return recorder
            }
            #expect(world.serverHas(2))
            world.turn(other, by: 60)
            #expect(recorders[1].atEnd().code == .timedOut)
            #expect(!recorders[0].heard.hasEnded)
            world.server.release("g")
            #expect(recorders[0].atEnd().order.last == .finish)
        }
    }

    @Test func `a thread that ends leaves no alarm`() throws {
        try withWorld { world in
            world.start(world.request("/hang"), Recorder(), by: clock)
            #expect(world.serverHas(1))
            world.thread.settle()
            #expect(clock.alarms == [60])
        }
        #expect(clock.alarms.isEmpty)
    }
}

/// In HTTP's form.
private func fieldValue(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "GMT")
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: date)
}
