import CurlConnection
import TestSupport

@Suite("Loads that wait", .timeLimit(.minutes(5)))
struct SynchronousLoadTests {
    /// What a synchronous load on a thread of its own gave.
    private struct Outcome: @unchecked Sendable {
        // @unchecked because it is made on one thread and read on another afterwards.
        var data: Data?
        var status: Int?
        var error: URLError?
    }

    private func load(_ world: TestWorld, _ path: String) -> Outcome? {
        let request = world.request(path)
        return world.thread.sync { Self.load(request) }
    }

    private static func load(_ request: URLRequest) -> Outcome {
        do {
            let (data, response) = try URLConnection.sendSynchronousRequest(request)
            return Outcome(data: data, status: (response as? HTTPURLResponse)?.statusCode)
        } catch {
            return Outcome(error: error as? URLError)
        }
    }

    @Test func `it returns the whole body and the response`() throws {
        try withWorld { world in
            let outcome = try #require(load(world, "/bytes/300000"))
            #expect(outcome.data == GeneratedBytes.bytes(seed: 1, range: 0..<300_000))
            #expect(outcome.status == 200)
            #expect(load(world, "/redirect")?.data == Data("hello world".utf8))
            #expect(load(world, "/204")?.data == Data())
            #expect(load(world, "/basic")?.status == 401)
        }
    }

    @Test func `it throws what a delegate would hear`() throws {
        try withWorld { world in
            #expect(load(world, "/truncated")?.error?.code.rawValue == -1005)
            #expect(load(world, "/garbage")?.error?.code.rawValue == -1017)
            var bad = world.request("/ok")
            bad.url = URL(string: "ftp://127.0.0.1/")
            let request = bad
            let outcome = world.thread.sync { Self.load(request) }
            #expect(outcome?.error?.code.rawValue == -1002)
        }
    }

    @Test func `other connections of the thread rest meanwhile and go on after it`() throws {
        try withWorld { world in
            let other = Recorder()
            world.thread.start(world.request("/gate/other"), other)
            #expect(world.server.waitUntilReached("other"))
            world.server.release("other")
            let request = world.request("/ok")
            let calls = world.thread.sync { () -> [Int] in
                let before = other.heard.calls.count
                _ = Self.load(request)
                return [before, other.heard.calls.count]
            }
            #expect(calls?.first == calls?.last)
            #expect(other.atEnd().text == "passed other")
        }
    }

    @Test func `it may be called from inside a delegate's call`() throws {
        try withWorld { world in
            let recorder = Recorder()
            let inner = Box<Outcome>()
            let request = world.request("/ok")
            recorder.onCall = { call, _ in
                if call == .response { inner.value = Self.load(request) }
            }
            #expect(world.load(world.request("/bytes/200000"), recorder).data.count == 200_000)
            #expect(inner.value?.data == Data("hello world".utf8))
        }
    }

    @Test func `it works on threads that have no run loop yet, many at once`() throws {
        try withWorld { world in
            let request = world.request("/ok")
            let group = DispatchGroup()
            let results = (0..<8).map { _ in Box<Outcome>() }
            for result in results {
                group.enter()
                Thread {
                    result.value = Self.load(request)
                    group.leave()
                }.start()
            }
            #expect(group.wait(timeout: .now() + patience) == .success)
            #expect(results.allSatisfy { $0.value?.data == Data("hello world".utf8) })
            // And a thread that has ended keeps no connection
            #expect(world.serverSeesTheClose())
        }
    }

    @Test func `it keeps no connection that nobody can use`() throws {
        try withWorld { world in
            #expect(load(world, "/ok")?.status == 200)
            #expect(world.serverSeesTheClose())
        }
    }
}
