import CurlConnection
import TestSupport

/// What goes by a configuration's clock besides the limits, which have suites of their own.
@Suite("Loads by a clock that is turned", .timeLimit(.minutes(1)))
struct TurnedClockTests {
    private let clock = TurnableClock()

    @Test func `a stored answer ages by it`() throws {
        try withStoreRoom { room in
            room.configuration.clock = clock.clock
            room.server.add("/aging") { [clock] _ in
                .text(
                    "x",
                    headers: [("Cache-Control", "max-age=600"), ("Date", fieldValue(clock.date))])
            }
            for (seconds, requests) in [(0.0, 1), (598, 1), (4, 2), (598, 2), (4, 3)] {
                clock.turn(by: seconds)
                #expect(room.load("/aging").text == "x")
                #expect(room.server.requests.count == requests, "after \(seconds) s")
            }
        }
    }

    @Test func `a cookie expires by it`() throws {
        try withStoreRoom { room in
            room.configuration.clock = clock.clock
            let cookies = CookieStorage(clock: clock.clock)
            room.configuration.cookieStorage = cookies
            room.server.add("/set") { _ in .text("x", headers: [("Set-Cookie", "a=b; Max-Age=60")])
            }
            _ = room.load("/set")
            clock.turn(by: 59)
            _ = room.load("/ok")
            #expect(room.server.requests.last?.headers["Cookie"] == "a=b")
            #expect(cookies.cookies.count == 1)
            clock.turn(by: 1)
            _ = room.load("/ok")
            #expect(room.server.requests.last?.headers["Cookie"] == nil)
            #expect(cookies.cookies.isEmpty)
        }
    }

    @Test func `a connection that is kept for a minute is closed, and not before`() throws {
        try withFixture { fixture in
            let recorder = Recorder()
            fixture.start(fixture.request("/ok"), recorder, by: clock)
            #expect(recorder.atEnd().text == "hello world")
            fixture.turn(clock, by: 59.9)
            #expect(fixture.server.statistics.connectionsOpen == 1)
            clock.turn(by: 0.1)
            #expect(fixture.serverSeesTheClose())
        }
    }

    @Test func `loads of two clocks share no connection and no time`() throws {
        try withFixture { fixture in
            let other = TurnableClock()
            let recorders = [clock, other].map { clock in
                let recorder = Recorder()
                fixture.start(fixture.request("/gate/g"), recorder, by: clock)
                return recorder
            }
            #expect(fixture.serverHas(2))
            fixture.turn(other, by: 60)
            #expect(recorders[1].atEnd().code == .timedOut)
            #expect(!recorders[0].heard.hasEnded)
            fixture.server.release("g")
            #expect(recorders[0].atEnd().order.last == .finish)
        }
    }

    @Test func `a thread that ends leaves no alarm`() throws {
        try withFixture { fixture in
            fixture.start(fixture.request("/hang"), Recorder(), by: clock)
            #expect(fixture.serverHas(1))
            fixture.thread.settle()
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
