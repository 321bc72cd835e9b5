import CurlConnection
import OperationNetworking
import TestSupport

/// Acceptance cases of time and cancelling, under their ids.
@Suite(
    "Cases R19 to R30: time and cancelling", .timeLimit(.minutes(2)),
    .enabled(if: FaultPeer.isAvailable, FaultPeer.need))
struct TimeCaseTests {
    private let client = PeerClient()

    private func peer() throws -> FaultPeer { try FaultPeer.shared.get() }

    @Test(
        arguments: [
            "/hang", "/hang-headers", "/hang-body", "/hang-chunk", "/hang-last-chunk",
            "/100-then-hang",
        ])
    func `R19: silence at any point ends after the time-out`(path: String) async throws {
        let ending = await client.get(try peer().url(path), timeout: 2)
        #expect(ending.urlCode == .timedOut)
        #expect((2..<3.5).contains(ending.seconds))
    }

    @Test(
        arguments: [
            "HANG", "BLACKHOLE",
        ])
    func `R19: a server that takes no connection, or never speaks, times out`(listener: String)
        async throws
    {
        let url = try peer().url("/", listener)
        var secure = URLComponents(url: url, resolvingAgainstBaseURL: false)
        secure?.scheme = "https"
        for url in [url, try #require(secure?.url)] {
            let ending = await client.get(url, timeout: 2)
            #expect(ending.urlCode == .timedOut, "\(url)")
            #expect((2..<3.5).contains(ending.seconds), "\(url)")
        }
    }

    @Test(
        arguments: [
            "/slow-body?gap=0.5&n=6", "/slow-headers?gap=0.5&n=6",
        ])
    func `R20: the time-out is for silence, not for the whole`(path: String) async throws {
        let ending = await client.get(try peer().url(path), timeout: 2)
        #expect(ending.isSuccess)
        #expect(ending.seconds > 2.5)
    }

    @Test(
        arguments: [
            "/infinite-drip", "/slow-body?gap=0.2&n=100",
        ])
    func `R21: the limit for the whole ends what is never silent`(path: String) async throws {
        let request = URLRequest(url: try peer().url(path), timeoutInterval: 60)
        let ending = await client.run(request) { $0.timeoutIntervalForResource = 3 }
        #expect(ending.urlCode == .timedOut)
        #expect((3..<4.5).contains(ending.seconds))
    }

    @Test
    func `R22: a cancel ends the operation once and closes the connection`() async throws {
        let peer = try FaultPeer()
        defer { peer.stop() }
        let operation = Locked<HTTPRequestOperation?>(nil)
        let request = URLRequest(url: peer.url("/hang"), timeoutInterval: 60)
        async let ended = client.run(request) { made in operation.withLock { $0 = made } }
        // Its own connection, so that the one of the hanging request is counted apart.
        let counter = PeerClient(thread: NetworkThread(name: "counter"))
        let open = { (text: String?) in text?.contains("\"open\": 2,") == true }
        #expect(await eventually { open(await counter.get(peer.url("/__stats")).text) })
        operation.withLock { $0 }?.cancel()
        let ending = await ended
        #expect(ending.urlCode == .cancelled)
        #expect(operation.withLock { $0?.isFinished } == true)
        #expect(operation.withLock { $0?.isCancelled } == true)
        #expect(await eventually { !open(await counter.get(peer.url("/__stats")).text) })
        #expect(client.endedTwice == 0)
    }

    @Test
    func `R29: a completion queue that is blocked does not stop the others`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let blocked = PeerClient()
        blocked.queue.async { gate.wait() }
        async let late = blocked.get(try peer().url("/ok"))
        for _ in 1...10 {
            #expect(await client.get(try peer().url("/ok")).isSuccess)
        }
        gate.signal()
        #expect(try await late.isSuccess)
    }
}
