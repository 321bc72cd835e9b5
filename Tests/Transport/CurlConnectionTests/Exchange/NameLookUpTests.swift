import LookUpPeer
import ProxyPeer
import Scheduling
import TestSupport

@testable import CurlConnection

extension TestWorld {
    /// A request to the server by one of the names of `StalledLookUp`.
    fileprivate func request(to name: String, _ path: String = "/ok") -> URLRequest {
        var parts = URLComponents(url: server.url(path), resolvingAgainstBaseURL: true)
        parts?.host = "\(name).lookup.test"
        return URLRequest(url: parts?.url ?? server.url(path))
    }
}

/// Holds names for as long as a test runs.
private func withHeld(_ ending: String, _ body: () throws -> Void) throws {
    StalledLookUp.hold(ending)
    defer {
        StalledLookUp.release(ending)
        #expect(StalledLookUp.waitUntilNone())
    }
    try body()
}

@Suite("Names are looked up beside the thread", .serialized, .timeLimit(.minutes(5)))
struct NameLookUpTests {
    @Test func `a name that is looked up is asked for once in a while`() throws {
        try withWorld { world in
            for _ in 0..<3 {
                #expect(world.load(world.request(to: "here")).text == "hello world")
                _ = world.thread.sync { TransportTable.closeIdleConnections() }
            }
            #expect(StalledLookUp.count("here.lookup.test") == 1)
            let host = world.server.requests.first?.headers["Host"]
            #expect(host == "here.lookup.test:\(world.server.port)")
        }
    }

    @Test func `a name whose addresses nobody answers at is asked for anew`() throws {
        try withWorld { world in
            let other = LoopbackServer.started()
            let url = other.url("/")
            other.stop()
            var request = world.request(to: "moved")
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
            parts?.host = "moved.lookup.test"
            request.url = parts?.url
            #expect(world.load(request).code == .cannotConnectToHost)
            #expect(world.load(world.request(to: "moved")).text == "hello world")
            #expect(StalledLookUp.count("moved.lookup.test") == 2)
        }
    }

    @Test func `a name that nobody knows is an error with libcurl's beneath`() throws {
        try withWorld { world in
            let heard = world.load(world.request(to: "unknown"))
            #expect(heard.code == .cannotFindHost)
            #expect(heard.error?.localizedDescription.contains("unknown.lookup.test") == true)
            let beneath = heard.error?.underlyingError as? CurlError
            #expect(beneath?.code == 6)
            // And is asked for again the next time
            #expect(world.load(world.request(to: "unknown")).code == .cannotFindHost)
            #expect(StalledLookUp.count("unknown.lookup.test") == 2)
        }
    }

    @Test func `a cancel in the middle of a look-up keeps nobody waiting`() throws {
        try withHeld("cancelled.lookup.test") {
            try withWorld { world in
                let recorder = Recorder()
                world.thread.start(world.request(to: "cancelled"), recorder)
                #expect(StalledLookUp.wait(for: "cancelled.lookup.test"))
                _ = world.thread.sync { recorder.connection?.cancel() }
                #expect(world.load("/ok").text == "hello world")
                // Then all of that happened while the look-up was under way
                #expect(StalledLookUp.inside == 1)
                #expect(!recorder.heard.hasEnded)
            }
            #expect(StalledLookUp.inside == 1)
        }
    }

    @Test(arguments: [false, true])
    func `a load that is suspended in a look-up goes on when it is resumed`(isFound: Bool) throws {
        let name = "suspended\(isFound)"
        try withWorld { world in
            let recorder = Recorder()
            try withHeld("\(name).lookup.test") {
                var request = world.request(to: name)
                request.timeoutInterval = 60
                let clock = TurnableClock()
                world.start(request, recorder, by: clock)
                #expect(StalledLookUp.wait(for: "\(name).lookup.test"))
                _ = world.thread.sync { recorder.connection?.suspend() }
                if isFound { StalledLookUp.release("\(name).lookup.test") }
                world.turn(clock, by: 90)
                #expect(recorder.heard.order == [.willSend])
                #expect(world.server.requests.isEmpty)
                if isFound { _ = world.thread.sync { recorder.connection?.resume() } }
                #expect(!isFound || recorder.atEnd().text == "hello world")
            }
            if !isFound { _ = world.thread.sync { recorder.connection?.resume() } }
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `a time-out in the middle of a look-up comes in its time`() throws {
        try withHeld("late.lookup.test") {
            try withWorld { world in
                var request = world.request(to: "late")
                request.timeoutInterval = 60
                let (recorder, clock) = (Recorder(), TurnableClock())
                world.start(request, recorder, by: clock)
                #expect(StalledLookUp.wait(for: "late.lookup.test"))
                world.turn(clock, by: 60)
                #expect(recorder.atEnd().code == .timedOut)
                #expect(StalledLookUp.inside == 1)
                #expect(world.load("/ok").text == "hello world")
                #expect(StalledLookUp.inside == 1)
            }
        }
    }

    @Test func `a thread ends in the middle of a look-up`() throws {
        try withHeld("ending.lookup.test") {
            try withWorld { world in
                world.thread.start(world.request(to: "ending"), Recorder())
                #expect(StalledLookUp.wait(for: "ending.lookup.test"))
            }
            #expect(StalledLookUp.inside == 1)
        }
    }

    @Test func `a process ends in the middle of a look-up`() async {
        await #expect(processExitsWith: .success) {
            StalledLookUp.hold("exit.lookup.test")
            let thread = LoopThread()
            let url = try #require(URL(string: "http://exit.lookup.test:9/"))
            thread.start(URLRequest(url: url), Recorder())
            #expect(StalledLookUp.wait(for: "exit.lookup.test"))
            let start = Date()
            atexit { if StalledLookUp.inside == 0 { _exit(3) } }
            #expect(start.timeIntervalSinceNow > -5)
        }
    }

    @Test func `a hundred requests to one name are one look-up`() throws {
        try withHeld("together.lookup.test") {
            try withWorld { world in
                let recorders = (0..<100).map { _ in
                    let recorder = Recorder()
                    world.thread.start(world.request(to: "together"), recorder)
                    return recorder
                }
                #expect(StalledLookUp.wait(for: "together.lookup.test"))
                world.thread.settle()
                StalledLookUp.release("together.lookup.test")
                #expect(recorders.allSatisfy { $0.atEnd().text == "hello world" })
                #expect(StalledLookUp.count("together.lookup.test") == 1)
            }
        }
    }

    @Test func `a thousand cancelled look-ups occupy few threads and no connection`() throws {
        try withHeld(".dead.lookup.test") {
            try withWorld { world in
                for number in 0..<1_000 {
                    let recorder = Recorder()
                    world.thread.start(world.request(to: "\(number).dead"), recorder)
                    _ = world.thread.sync { recorder.connection?.cancel() }
                }
                #expect(world.load("/ok").text == "hello world")
                let most = WorkerRule.lookUps.limit + WorkerRule.lookUps.leftLimit
                #expect(StalledLookUp.inside <= most)
                StalledLookUp.release(".dead.lookup.test")
                #expect(StalledLookUp.waitUntilNone())
                // Then those that nobody waits for any more are not begun
                #expect(StalledLookUp.count(".dead.lookup.test") <= most)
                #expect(world.load(world.request(to: "afterwards")).text == "hello world")
            }
        }
    }

    @Test func `look-ups that nobody waits for any more keep no other name waiting`() throws {
        try withHeld(".left.lookup.test") {
            try withWorld { world in
                var recorders: [Recorder] = []
                for number in 0..<WorkerRule.lookUps.limit {
                    recorders.append(Recorder())
                    world.thread.start(world.request(to: "\(number).left"), recorders[number])
                }
                #expect(
                    StalledLookUp.wait(for: ".left.lookup.test", count: WorkerRule.lookUps.limit))
                for recorder in recorders {
                    _ = world.thread.sync { recorder.connection?.cancel() }
                }
                #expect(world.load(world.request(to: "beside-left")).text == "hello world")
                #expect(StalledLookUp.inside == WorkerRule.lookUps.limit)
            }
        }
    }

    @Test func `look-ups that take long keep no other name waiting`() throws {
        try withHeld(".long.lookup.test") {
            try withWorld { world in
                let recorders = (0..<WorkerRule.lookUps.limit).map { number in
                    let recorder = Recorder()
                    world.thread.start(world.request(to: "\(number).long"), recorder)
                    return recorder
                }
                #expect(
                    StalledLookUp.wait(for: ".long.lookup.test", count: WorkerRule.lookUps.limit))
                #expect(world.load(world.request(to: "beside-long")).text == "hello world")
                #expect(StalledLookUp.inside == WorkerRule.lookUps.limit)
                StalledLookUp.release(".long.lookup.test")
                #expect(recorders.allSatisfy { $0.atEnd().text == "hello world" })
            }
        }
    }

    @Test func `where the system has no thread the wait ends, and the next name is looked up`() {
        let isShort = Locked(true)
        let resolver = HostResolver(startingBy: { body throws(ThreadUnavailable) in
            if isShort.withLock({ $0 }) { throw ThreadUnavailable(EAGAIN) }
            try SystemThread.start(body)
        })
        func answer(_ name: String) -> HostResolver.Answer? {
            let hasAnswer = DispatchSemaphore(value: 0)
            let answer = Locked<HostResolver.Answer?>(nil)
            _ = resolver.ask(for: name) { found in
                answer.withLock { $0 = found }
                hasAnswer.signal()
            }
            guard hasAnswer.wait(timeout: .now() + 30) == .success else { return nil }
            return answer.withLock { $0 }
        }
        guard case .failure(let reason) = answer("short.lookup.test") else {
            Issue.record("No failure")
            return
        }
        #expect(reason.number == EAGAIN)
        isShort.withLock { $0 = false }
        #expect((try? answer("short.lookup.test")?.get()) == ["127.0.0.1"])
    }

    @Test func `a proxy's name, and a server's that SOCKS asks for here, are looked up too`() throws
    {
        try withWorld { world in
            let peer = try SOCKSProxy()
            let proxy = try Proxy(.socks5, host: "socks.lookup.test", port: Int(peer.port))
            let recorder = Recorder()
            world.thread.start(world.request(to: "behind"), recorder) {
                $0.configuration.proxy = .fixed(proxy)
            }
            #expect(recorder.atEnd().text == "hello world", "\(recorder.heard.error as Any)")
            #expect(peer.stop().first?.host == "127.0.0.1")
            #expect(StalledLookUp.count("socks.lookup.test") == 1)
            #expect(StalledLookUp.count("behind.lookup.test") == 1)
        }
    }

    @Test func `a kept connection needs no look-up`() throws {
        try withWorld { world in
            #expect(world.load(world.request(to: "kept")).text == "hello world")
            #expect(world.load(world.request(to: "kept")).text == "hello world")
            #expect(world.server.statistics.connectionsAccepted == 1)
            #expect(StalledLookUp.count("kept.lookup.test") == 1)
        }
    }
}
