import CurlConnection
import TestSupport

/// Loads a request on threads that end, one after the other, and close nothing themselves.
private func loadOnThreads(_ count: Int, _ request: URLRequest) {
    for _ in 0..<count {
        let done = DispatchSemaphore(value: 0)
        Thread {
            let recorder = Recorder()
            recorder.connection = URLConnection(request: request, delegate: recorder)
            while !recorder.heard.hasEnded {
                _ = RunLoop.current.run(mode: .default, before: .distantFuture)
            }
            done.signal()
        }.start()
        done.wait()
    }
}

/// Starts connections on a thread that all fail, every second one refused, and waits for them.
private func failFifty(_ world: TestWorld, _ nobody: URLRequest) {
    let paths = ["/close", "/reset", "/truncated", "/garbage"]
    let recorders = (0..<50).map { index in
        let recorder = Recorder()
        let cut = world.request(paths[index / 2 % 4])
        world.thread.start(index % 2 == 0 ? nobody : cut, recorder)
        return recorder
    }
    #expect(recorders.allSatisfy { $0.atEnd().error != nil })
}

/// Tests that look at what the process has, or change it; each runs in a process of its own.
@Suite("A process of its own", .timeLimit(.minutes(5)))
struct IsolatedTests {
    @Test func `the environment's proxies are ignored`() async {
        await #expect(processExitsWith: .success) {
            for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:9", 1)
            }
            try withWorld { world in
                #expect(world.load("/ok").text == "hello world")
                #expect(world.server.requests.first?.target == "/ok")
            }
        }
    }

    @Test func `five hundred connections that fail leave no descriptor`() async {
        await #expect(processExitsWith: .success) {
            try withWorld { world in
                let refused = LoopbackServer.started()
                let nobody = URLRequest(url: refused.url("/"))
                refused.stop()
                _ = world.load("/ok")
                _ = world.thread.sync { TransportTable.closeAll() }
                _ = world.serverSeesTheClose()
                let before = openDescriptors()
                // When five hundred are refused, cut or reset, fifty at once
                for _ in 0..<10 { failFifty(world, nobody) }
                _ = world.thread.sync { TransportTable.closeAll() }
                #expect(world.serverSeesTheClose())
                #expect(descriptorsAreBack(to: before))
            }
        }
    }

    @Test func `connections cancelled at any point leave no descriptor`() async {
        await #expect(processExitsWith: .success) {
            try withWorld { world in
                _ = world.load("/ok")
                _ = world.thread.sync { TransportTable.closeAll() }
                _ = world.serverSeesTheClose()
                let before = openDescriptors()
                for call in [Call.willSend, .response, .data, .notConsumed] {
                    for _ in 0..<30 {
                        let recorder = Recorder()
                        recorder.onCall = { if $0 == call { $1.cancel() } }
                        world.thread.start(world.request("/bytes/1000000"), recorder)
                        #expect(recorder.wait { $0.calls.contains(call) })
                    }
                }
                _ = world.thread.sync { TransportTable.closeAll() }
                #expect(world.serverSeesTheClose())
                #expect(descriptorsAreBack(to: before))
            }
        }
    }

    @Test func `a thread's transports are gone after closeAll, those in use too`() async {
        await #expect(processExitsWith: .success) {
            try withWorld { world in
                // The loop's modes have timers of their own
                _ = world.load("/ok")
                _ = world.thread.sync { TransportTable.closeAll() }
                _ = world.serverSeesTheClose()
                let before = openDescriptors()
                for _ in 0..<20 {
                    let recorder = Recorder()
                    world.thread.start(world.request("/hang-body"), recorder)
                    #expect(recorder.wait { $0.data.count == 100 })
                    _ = world.thread.sync {
                        TransportTable.closeAll()
                        recorder.connection = nil
                    }
                    #expect(world.serverSeesTheClose())
                    world.thread.settle()
                    #expect(!recorder.heard.hasEnded)
                }
                #expect(descriptorsAreBack(to: before))
            }
        }
    }

    @Test func `a thread that ends without a word leaves no descriptor`() async {
        await #expect(processExitsWith: .success) {
            let server = LoopbackServer.started()
            var request = URLRequest(url: server.url("/bytes/100000"))
            request.cachePolicy = .reloadIgnoringLocalCacheData
            // Given that the main run loop, which the first makes, has its own timer
            loadOnThreads(1, request)
            let isIdle = server.waitUntil(timeout: patience) {
                $0.connectionsOpen == 0 && !$1.isEmpty
            }
            #expect(isIdle)
            let before = openDescriptors()
            loadOnThreads(20, request)
            #expect(
                server.waitUntil(timeout: patience) { statistics, log in
                    statistics.connectionsOpen == 0 && log.count == 21
                })
            #expect(descriptorsAreBack(to: before))
        }
    }

    @Test func `transports may be closed from inside a call that is not libcurl's`() async {
        await #expect(processExitsWith: .success) {
            try withWorld { world in
                for call in [Call.willSend, .finish] {
                    let recorder = Recorder()
                    recorder.onCall = { heard, _ in
                        if heard == call { TransportTable.closeAll() }
                    }
                    world.thread.start(world.request("/bytes/300000"), recorder)
                    #expect(recorder.wait { $0.calls.contains(call) })
                    world.thread.settle()
                    #expect(recorder.heard.calls.last == call)
                    #expect(world.load("/ok").text == "hello world")
                }
            }
        }
    }

    @Test func `closing them inside one of libcurl's is a mistake that is told`() async {
        await #expect(processExitsWith: .failure) {
            try withWorld { world in
                let recorder = Recorder()
                recorder.onCall = { call, _ in if call == .data { TransportTable.closeAll() } }
                _ = world.load(world.request("/bytes/300000"), recorder)
            }
        }
    }

    @Test func `a head that begins with a folded line does no harm to the next exchange`() async {
        await #expect(processExitsWith: .success) {
            try withWorld { world in
                world.server.add("/folded") { _ in
                    let head = "HTTP/1.1 200 OK\r\n  folded: line\r\nContent-Length: 2\r\n\r\n"
                    return ScriptedResponse([.bytes(Data((head + "ok").utf8))])
                }
                for _ in 0..<20 {
                    #expect(world.load("/ok").text == "hello world")
                    #expect(world.load("/folded").ends == 1)
                }
            }
        }
    }

    @Test func `the slower mechanism of the run loop does the same`() async {
        await #expect(processExitsWith: .success) {
            setenv("OPERATIONNETWORKING_RUNLOOP_SOURCE", "dispatch", 1)
            try withWorld { world in
                #expect(world.load("/ok").text == "hello world")
                #expect(world.load("/bytes/3000000").data.count == 3_000_000)
                #expect(world.load("/redirect").text == "hello world")
                let recorders = (0..<100).map { _ in Recorder() }
                for recorder in recorders {
                    world.thread.start(world.request("/bytes/20000"), recorder)
                }
                #expect(recorders.allSatisfy { $0.atEnd().data.count == 20_000 })
                _ = world.thread.sync { TransportTable.closeAll() }
                #expect(world.serverSeesTheClose())
            }
        }
    }
}
