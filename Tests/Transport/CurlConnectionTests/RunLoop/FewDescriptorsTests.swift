import CurlConnection
import TestSupport

/// The loads of a process that may have few descriptors open; its server is another process's.
private struct Loader {
    let port: Int
    let thread = LoopThread()

    /// Lets the process open so many more than are open now.
    static func leave(_ count: Int) {
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(files, &limit)
        // What is free below the highest one is taken, so that the number is exact.
        let highest = (0..<Int32(2_048)).last { fcntl($0, F_GETFD) >= 0 } ?? 0
        var free = dup(0)
        while free < highest { free = dup(0) }
        limit.rlim_cur = rlim_t(free) + rlim_t(count)
        close(free)
        setrlimit(files, &limit)
    }

    func start(_ host: Int, _ recorder: Recorder, _ path: String = "/ok") {
        guard let url = URL(string: "http://h\(host).localhost:\(port)\(path)") else { return }
        thread.start(
            URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData), recorder)
    }

    func load(_ host: Int) -> Heard {
        let recorder = Recorder()
        start(host, recorder)
        return recorder.atEnd()
    }

    /// Begins a load from host 0 that the server does not end.
    func begin() -> Recorder {
        let held = Recorder()
        start(0, held, "/held")
        #expect(held.wait { $0.data.count == 1 })
        return held
    }
}

@Suite("Loads with few descriptors", .timeLimit(.minutes(5)))
struct FewDescriptorsTests {
    private func withServer(_ body: (Int) async -> Void) async throws {
        let server = LoopbackServer()
        server.hold("door")
        server.add("/held") { _ in
            ScriptedResponse([
                .bytes(Data("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na".utf8)),
                .wait(gate: "door"), .bytes(Data("b".utf8)),
            ])
        }
        try server.start()
        defer { server.stop() }
        await body(Int(server.port))
    }

    @Test func `150 hosts in turn are all loaded from where 40 more may be open`() async throws {
        try await withServer { (port: Int) in
            await #expect(processExitsWith: .success) { [port = port as Int] in
                let loader = Loader(port: port)
                Loader.leave(40)
                for host in 1...150 {
                    let heard = loader.load(host)
                    #expect(heard.text == "hello world", "host \(host): \(heard.error as Any)")
                }
            }
        }
    }

    @Test(arguments: [false, true])
    func `idle connections make room for one more, also while a load is under way`(isBusy: Bool)
        async throws
    {
        try await withServer { (port: Int) in
            await #expect(processExitsWith: .success) {
                [port = port as Int, isBusy = isBusy as Bool] in
                let loader = Loader(port: port)
                let held = isBusy ? loader.begin() : nil
                for host in 1...10 { #expect(loader.load(host).status == 200) }
                Loader.leave(0)
                for host in 11...30 {
                    let heard = loader.load(host)
                    #expect(heard.text == "hello world", "host \(host): \(heard.error as Any)")
                }
                #expect(held?.heard.hasEnded != true)
            }
        }
    }

    @Test func `where there is none to be had the error is -1008 and names the limit`()
        async throws
    {
        try await withServer { (port: Int) in
            await #expect(processExitsWith: .success) { [port = port as Int] in
                let loader = Loader(port: port)
                let held = loader.begin()
                Loader.leave(0)
                for host in 1...3 {
                    let heard = loader.load(host)
                    #expect(heard.code == .resourceUnavailable, "\(heard.error as Any)")
                    #expect(heard.error?.localizedDescription.contains("RLIMIT_NOFILE") == true)
                    #expect(heard.ends == 1)
                }
                _ = loader.thread.sync { held.connection?.cancel() }
                #expect(loader.load(4).text == "hello world")
            }
        }
    }

    /// A load that is suspended with a limit for the whole, or resumed without one, asks for a transport.
    @Test(arguments: [false, true])
    func `where there is none for a transport nothing is called inside suspend and resume`(
        isResumed: Bool
    ) async throws {
        await #expect(processExitsWith: .success) { [isResumed = isResumed as Bool] in
            guard let url = URL(string: "http://localhost:1/") else { return }
            let thread = LoopThread()
            thread.settle()
            Loader.leave(0)
            let recorder = Recorder()
            _ = thread.sync {
                let connection = URLConnection(
                    request: URLRequest(url: url), delegate: recorder, startImmediately: false)
                recorder.connection = connection
                if !isResumed { connection.timeoutIntervalForResource = 60 }
                connection.start()
                connection.suspend()
                #expect(!recorder.heard.hasEnded)
            }
            if isResumed {
                thread.settle()
                _ = thread.sync {
                    recorder.connection?.resume()
                    #expect(!recorder.heard.hasEnded)
                }
            }
            let heard = recorder.atEnd()
            #expect(heard.code == .resourceUnavailable, "\(heard.error as Any)")
            #expect(heard.ends == 1)
        }
    }
}
