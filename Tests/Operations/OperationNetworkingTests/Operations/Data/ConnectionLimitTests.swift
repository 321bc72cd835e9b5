import CurlConnection
import OperationNetworking
import TestSupport

/// How many connections operations use at once, and how the others wait.
@Suite("Connections of operations", .timeLimit(.minutes(1)))
struct ConnectionLimitTests {
    private let world = TestWorld()
    private let other = LoopbackServer.started(address: "127.0.0.2")
    private let clock = TurnableClock()

    private func operation(
        _ path: String = "/gate/g", at url: URL? = nil, perHost: Int = 6, total: Int = 256
    ) -> URLConnectionOperation {
        let url = url ?? world.server.url(path)
        let operation = world.plainOperation(URLRequest(url: url, timeoutInterval: 50))
        operation.configuration.responseCache = nil
        operation.configuration.clock = clock.clock
        operation.configuration.httpMaximumConnectionsPerHost = perHost
        operation.configuration.maximumConnections = total
        return operation
    }

    /// Starts operations in their order and gives what happens at each one's end.
    private func start(_ operations: [URLConnectionOperation]) -> Signal {
        let end = Signal()
        for operation in operations {
            operation.completionBlock = { end.fire() }
            operation.start()
        }
        return end
    }

    // MARK: Numbers

    @Test(arguments: [1, 2, 20])
    func `as many connections to a host as are set`(limit: Int) async {
        let operations = (0..<40).map { _ in operation(perHost: limit) }
        let end = start(operations)
        #expect(await world.reached("g", count: limit))
        world.server.release("g")
        await end.wait(for: 40)
        #expect(operations.allSatisfy { $0.error == nil })
        #expect(world.server.statistics.peakConnections == limit)
    }

    @Test func `a limit below 1 counts as 1`() async {
        let end = start((0..<3).map { _ in operation("/ok", perHost: 0, total: -1) })
        await end.wait(for: 3)
        #expect(world.server.statistics.peakConnections == 1)
    }

    @Test func `each host has its own connections`() async {
        let here = (0..<10).map { _ in operation() }
        let there = (0..<10).map { _ in operation(at: other.url("/gate/g")) }
        let end = start(here + there)
        #expect(await world.reached("g", count: 6))
        #expect(await onNewThread { other.waitUntilReached("g", count: 6, timeout: 30) })
        world.server.release("g")
        other.release("g")
        await end.wait(for: 20)
        #expect(world.server.statistics.peakConnections == 6)
        #expect(other.statistics.peakConnections == 6)
    }

    @Test func `the limit for all holds over the hosts, and the oldest goes first`() async {
        // Given two places, both in use here, and one that waits there
        let here = (0..<2).map { _ in operation(total: 2) }
        let there = operation(at: other.url("/ok"), total: 2)
        let late = operation("/ok", total: 2)
        let (held, waiting) = (start(here), start([there]))
        let last = start([late])
        #expect(await world.reached("g", count: 2))
        await world.settle()
        #expect(other.statistics.connectionsAccepted == 0)
        // When a place is free
        world.server.release("g", count: 1)
        // Then the first in line gets it, at whichever host
        await waiting.wait()
        #expect(there.error == nil)
        await last.wait()
        world.server.release("g")
        await held.wait(for: 2)
        #expect(world.server.statistics.peakInFlight == 2)
    }

    @Test func `a manager's hundred requests use six connections`() async {
        let manager = HTTPRequestOperationManager(baseURL: world.server.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.maxConcurrentOperationCount = 100
        manager.configuration.responseCache = nil
        let end = Signal()
        let failures = Log<any Error>()
        for _ in 0..<100 {
            manager.get("/gate/g", success: { _, _ in end.fire() }) { _, error in
                failures.add(error)
                end.fire()
            }
        }
        #expect(await world.reached("g", count: 6))
        world.server.release("g")
        await end.wait(for: 100)
        #expect(failures.all.isEmpty)
        #expect(world.server.statistics.peakConnections == 6)
    }

    // MARK: The line

    @Test func `who waits goes in the order of the starts`() async {
        let first = operation(perHost: 1)
        let others = (0..<50).map { operation("/ok?\($0)", perHost: 1) }
        let end = start([first] + others)
        #expect(await world.reached("g"))
        world.server.release("g")
        await end.wait(for: 51)
        #expect(
            world.server.requests.map(\.target) == ["/gate/g"] + (0..<50).map { "/ok?\($0)" })
        #expect(world.server.statistics.connectionsAccepted == 1)
    }

    @Test func `one that waits is cancelled at once and never sent`() async {
        let first = operation(perHost: 1)
        let gone = (0..<10).map { operation("/ok?\($0)", perHost: 1) }
        let last = operation("/ok?last", perHost: 1)
        let held = start([first])
        let (ends, end) = (start(gone), start([last]))
        #expect(await world.reached("g"))
        gone.forEach { $0.cancel() }
        await ends.wait(for: 10)
        #expect(gone.allSatisfy { $0.errorCode == .cancelled })
        #expect(world.server.requests.count == 1)
        world.server.release("g")
        await held.wait()
        await end.wait()
        #expect(last.error == nil)
        #expect(world.server.requests.map(\.target) == ["/gate/g", "/ok?last"])
    }

    @Test(arguments: [LastMoment.Change.cancel, .pause])
    func `one whose turn comes before its thread hears of its cancel or pause sends nothing`(
        change: LastMoment.Change
    ) async {
        let first = operation(perHost: 1)
        let late = LastMoment(request: URLRequest(url: world.server.url("/ok?late")))
        late.networkThread = world.thread
        late.configuration.httpMaximumConnectionsPerHost = 1
        late.change = change
        let last = operation("/ok?last", perHost: 1)
        let (held, lateEnd, end) = (start([first]), start([late]), start([last]))
        #expect(await world.reached("g"))
        // Both wait.
        await world.settle()
        world.server.release("g")
        await held.wait()
        await end.wait()
        #expect(world.server.requests.map(\.target) == ["/gate/g", "/ok?last"])
        // A pause costs nothing but the turn.
        if change == .pause { late.resume() }
        await lateEnd.wait()
        #expect(late.errorCode == (change == .pause ? nil : .cancelled))
    }

    @Test func `one that is cancelled in use gives its place to the next`() async {
        let first = operation(perHost: 1)
        let next = operation("/ok", perHost: 1)
        let (held, end) = (start([first]), start([next]))
        #expect(await world.reached("g"))
        first.cancel()
        await end.wait()
        #expect(next.error == nil)
        await held.wait()
    }

    @Test func `one that is paused in use gives its place to the next, and comes back`() async {
        let first = operation(perHost: 1)
        let next = operation("/ok", perHost: 1)
        let (held, end) = (start([first]), start([next]))
        #expect(await world.reached("g"))
        first.pause()
        await end.wait()
        world.server.release("g")
        first.resume()
        await held.wait()
        #expect(first.responseData == Data("passed g".utf8))
    }

    @Test func `who leaves the line lets those behind it go`() async {
        // Given one that waits for a connection of its own, and one behind it that need not
        let first = operation()
        let strict = operation("/ok?strict", perHost: 1)
        let behind = operation("/ok?behind")
        let held = start([first])
        let (gone, end) = (start([strict]), start([behind]))
        #expect(await world.reached("g"))
        await world.settle()
        // When the first in line leaves it
        strict.cancel()
        await gone.wait()
        // Then the next does not wait for the exchange under way
        let isSent = await world.sees { $0.requests == 2 }
        #expect(isSent)
        world.server.release("g")
        await held.wait()
        await end.wait()
    }

    @Test func `a refused server gives its places back`() async {
        let closed = LoopbackServer()
        try? closed.start()
        let url = closed.url("/ok")
        closed.stop()
        let operations = (0..<20).map { _ in operation(at: url, perHost: 2) }
        await start(operations).wait(for: 20)
        #expect(operations.allSatisfy { $0.errorCode == .cannotConnectToHost })
    }

    // MARK: Time

    @Test func `the time-out does not run while an operation waits`() async {
        let first = operation(perHost: 1)
        let waits = operation("/ok", perHost: 1)
        waits.request.timeoutInterval = 20
        let (held, end) = (start([first]), start([waits]))
        #expect(await world.reached("g"))
        await world.settle()
        // Longer than the time-out, and not than that of the other one.
        clock.turn(by: 30)
        await world.settle()
        #expect(!waits.isFinished)
        world.server.release("g")
        await end.wait()
        #expect(waits.error == nil)
        await held.wait()
    }

    @Test func `the limit for the whole transfer runs while an operation waits`() async {
        let first = operation(perHost: 1)
        let waits = operation("/ok", perHost: 1)
        waits.timeoutIntervalForResource = 30
        let (held, end) = (start([first]), start([waits]))
        #expect(await world.reached("g"))
        await world.settle()
        clock.turn(by: 30)
        await end.wait()
        #expect(waits.errorCode == .timedOut)
        #expect(world.server.requests.count == 1)
        world.server.release("g")
        await held.wait()
    }
}

/// Is cancelled or paused in the moment in which its turn comes.
final class LastMoment: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass; the change is set before the start.
    enum Change { case cancel, pause, none }

    var change = Change.none

    override func connection(_ connection: URLConnection, waitsFor wait: LoadWait?) {
        if wait == nil {
            switch change {
            case .cancel: cancel()
            case .pause: pause()
            case .none: break
            }
            change = .none
        }
        super.connection(connection, waitsFor: wait)
    }
}
