import CurlConnection
import TestSupport

/// The server listens at 127.0.0.1 alone: elsewhere a connection is refused, or the test has the port dropped.
@Suite("A host with several addresses", .serialized, .timeLimit(.minutes(4)))
struct ManyAddressesTests {
    /// Loads from a host with these addresses, while some are silent.
    private func load(
        _ addresses: [String], silent: [String], limit: TimeInterval?
    ) throws -> (heard: Heard, seconds: Double) {
        var result: (Heard, Double)?
        try withWorld { world in
            let port = world.server.port
            let listeners = try silent.map { try SwallowingListener($0, port: port) }
            defer { withExtendedLifetime(listeners) {} }
            let url = try #require(URL(string: "http://many.invalid:\(port)/ok"))
            let recorder = Recorder()
            let start = ContinuousClock.now
            let heard = world.load(URLRequest(url: url, timeoutInterval: 60), recorder) {
                $0.configuration.hostAddresses = ["many.invalid": addresses]
                $0.configuration.connectTimeout = limit
            }
            result = (heard, start.duration(to: .now) / .seconds(1))
        }
        return try #require(result)
    }

    @Test(
        arguments: [
            ["127.0.0.77", "127.0.0.1"],
            ["127.0.0.77", "127.0.0.78", "127.0.0.79", "127.0.0.80", "127.0.0.81", "127.0.0.1"],
        ])
    func `the first is silent: the others are tried after its share of the limit`(
        addresses: [String]
    ) throws {
        let (heard, seconds) = try load(addresses, silent: ["127.0.0.77"], limit: 6)
        #expect(heard.text == "hello world")
        // Half of the limit is the first's.
        #expect((2.5..<4.5).contains(seconds))
    }

    @Test func `each that is silent has its share of what is left`() throws {
        let (heard, seconds) = try load(
            ["127.0.0.77", "127.0.0.78", "127.0.0.79", "127.0.0.1"],
            silent: ["127.0.0.77", "127.0.0.78"], limit: 6)
        #expect(heard.text == "hello world")
        #expect((4..<6).contains(seconds))
    }

    @Test func `one that refuses takes no time from the others`() throws {
        let others = (77..<83).map { "127.0.0.\($0)" }
        let (heard, seconds) = try load(others + ["127.0.0.1"], silent: [], limit: nil)
        #expect(heard.text == "hello world")
        #expect(seconds < 3)
    }

    @Test(.enabled(if: SwallowingListener.hasIPv6))
    func `the other family begins after a moment, and has shares of its own`() throws {
        let (heard, seconds) = try load(["::1", "127.0.0.1"], silent: ["::1"], limit: nil)
        #expect(heard.text == "hello world")
        #expect(seconds < 3)
        let both = try load(
            ["::1", "127.0.0.77", "127.0.0.1"], silent: ["::1", "127.0.0.77"], limit: 6)
        #expect(both.heard.text == "hello world")
        #expect((2.5..<5).contains(both.seconds))
    }

    @Test func `the request's own limit is divided where there is no other`() throws {
        try withWorld { world in
            let port = world.server.port
            let listener = try SwallowingListener("127.0.0.77", port: port)
            defer { withExtendedLifetime(listener) {} }
            let url = try #require(URL(string: "http://many.invalid:\(port)/ok"))
            let recorder = Recorder()
            world.thread.start(URLRequest(url: url, timeoutInterval: 6), recorder) {
                $0.configuration.hostAddresses = ["many.invalid": ["127.0.0.77", "127.0.0.1"]]
            }
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `all are silent: the limit ends the load and is named`() throws {
        let (heard, seconds) = try load(
            ["127.0.0.77", "127.0.0.78"], silent: ["127.0.0.77", "127.0.0.78"], limit: 1)
        #expect(heard.code == .timedOut)
        #expect(heard.error?.localizedDescription.contains("connectTimeout") == true)
        #expect((0.9..<3).contains(seconds))
        #expect(heard.ends == 1)
    }
}
