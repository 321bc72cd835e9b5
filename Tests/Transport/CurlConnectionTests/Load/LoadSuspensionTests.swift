import Foundation
import TestSupport

@testable import CurlConnection

@Suite("What comes to a suspended load", .timeLimit(.minutes(2)))
struct LoadSuspensionTests: Suspending {
    // MARK: The table

    /// What becomes of each arrival in most states.
    private static let usual: [Load.Arrival: Load.Meanwhile] = [
        .step: .isHeld, .slot: .isIgnored, .addresses: .isIgnored, .nextAddress: .isIgnored,
        .request: .isIgnored, .repeatedRequest: .goesOn, .newBody: .isPreparedAnew,
        .source: .pauses, .sent: .isHeld, .head: .isHeld, .bytes: .pauses, .demand: .pauses,
        .result: .isHeld, .resultUnsent: .isHeld, .idleLimit: .isIgnored, .deadline: .goesOn,
    ]

    private static let others: [Load: [Load.Arrival: Load.Meanwhile]] = [
        .queued: [.slot: .becomesUnsent],
        .lookingUp: [.addresses: .becomesUnsent],
        .exchanging: [.request: .becomesUnsent, .resultUnsent: .becomesUnsent],
        .discarding: [.bytes: .goesOn, .result: .goesOn, .resultUnsent: .goesOn],
    ]

    @Test(arguments: Load.allCases, Load.Arrival.allCases)
    func `each arrival in each state goes on, is held, pauses, is given up, or does not count`(
        state: Load, arrival: Load.Arrival
    ) {
        let expected =
            state == .over ? .isIgnored : Self.others[state]?[arrival] ?? Self.usual[arrival]
        #expect(state.meanwhile(arrival) == expected)
    }

    @Test(arguments: Load.allCases, Load.Event.allCases)
    func `a move that would ask for a slot leads to where it is asked for later`(
        state: Load, event: Load.Event
    ) {
        let move = state.moveWhileSuspended(on: event)
        switch (state, event) {
        case (.preparing, .send): #expect(move == Load.Move(.unsent))
        case (.exchanging, .startAgain), (.exchanging, .lookUp):
            #expect(move == Load.Move(.unsent, .leaveSlot))
        case (.unsent, .resume): #expect(move == nil)
        default: #expect(move == state.move(on: event))
        }
        #expect(move?.effect != .takeSlot && move?.effect != .takeNewSlot)
        #expect(move?.effect != .lookUp)
    }

    // MARK: Loads

    /// Notes what a load waits for, and suspends it or answers where a test says so.
    private final class Waiting: URLConnectionDelegate, @unchecked Sendable {
        // @unchecked because all is used on the loop's thread, or between its jobs.
        var waits = 0
        var retries = 0
        var streams = 0
        var hasEnded = false
        var onRetry: ((URLConnection) -> Void)?
        var onStream: ((URLConnection) -> InputStream?)?
        let ended = Signal()

        func connection(_ connection: URLConnection, waitsFor wait: LoadWait?) { waits += 1 }

        func connection(
            _ connection: URLConnection, didDecideAboutRetry decision: RetryDecision
        ) {
            retries += 1
            onRetry?(connection)
        }

        func connection(
            _ connection: URLConnection, needNewBodyStream request: URLRequest
        ) -> InputStream? {
            streams += 1
            return onStream?(connection)
        }

        func connectionDidFinishLoading(_ connection: URLConnection) { end() }

        func connection(_ connection: URLConnection, didFailWithError error: any Error) { end() }

        private func end() {
            hasEnded = true
            ended.fire()
        }
    }

    private func start(
        _ request: URLRequest, _ delegate: Waiting, _ world: TestWorld,
        _ configure: @escaping @Sendable (URLConnection) -> Void = { _ in }
    ) -> URLConnection? {
        let box = Box<URLConnection>()
        let request = Box(request)
        _ = world.thread.sync {
            guard let request = request.value else { return }
            let connection = URLConnection(
                request: request, delegate: delegate, startImmediately: false)
            configure(connection)
            box.value = connection
            connection.start()
        }
        return box.value
    }

    private func waits(_ delegate: Waiting, _ world: TestWorld) -> Int? {
        world.thread.settle()
        return world.thread.sync { delegate.waits }
    }

    @Test func `the delegate is asked for a new body only when the load is resumed`() throws {
        try withWorld { world in
            let recorder = Recorder()
            recorder.onNewStream = { PiecesStream([Data("again".utf8)]) }
            world.server.add("/held", beforeBody: true) { _ in
                .text("taken").after(.wait(gate: "held")).after(.readBody)
            }
            world.server.hold("held")
            var request = world.request("/held", "PUT")
            request.httpBodyStream = PiecesStream([Data("once".utf8)])
            world.thread.start(request, recorder)
            #expect(world.server.waitUntilReached("held"))
            world.thread.settle()
            let mayGoOn = world.thread.sync { () -> Bool? in
                recorder.connection?.suspend()
                return recorder.connection?.transfer?.seek(to: 0)
            }
            #expect(mayGoOn == false)
            world.thread.settle()
            #expect(recorder.heard.count(.newStream) == 0)
            world.server.release("held")
            resume(recorder, world)
            let heard = recorder.atEnd()
            #expect(heard.count(.newStream) == 1)
            #expect(heard.order.last == .finish)
            #expect(heard.ends == 1)
        }
    }

    @Test func `the next address is tried at once although the load was suspended for a moment`()
        throws
    {
        try withWorld { world in
            let port = world.server.port
            let listener = try SwallowingListener("127.0.0.77", port: port)
            defer { withExtendedLifetime(listener) {} }
            let url = try #require(URL(string: "http://many.invalid:\(port)/ok"))
            let recorder = Recorder()
            world.thread.start(URLRequest(url: url), recorder) {
                $0.configuration.hostAddresses = ["many.invalid": ["127.0.0.77", "127.0.0.1"]]
                $0.configuration.connectTimeout = 60
            }
            while socketCount(recorder, world) == 0 {}
            let isGivenUp = world.thread.sync { Self.giveUpAndSuspend(recorder.connection) }
            #expect(isGivenUp == true)
            world.thread.settle()
            // It has opened the second socket, or has already ended with it.
            #expect(socketCount(recorder, world) != 1)
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `one that is suspended for a moment before libcurl has begun with it is loaded`()
        throws
    {
        try withWorld { world in
            let (recorder, request) = (Recorder(), Box(world.request("/ok")))
            let state = world.thread.sync { () -> Load? in
                guard let request = request.value else { return nil }
                let connection = URLConnection(
                    request: request, delegate: recorder, startImmediately: false)
                recorder.connection = connection
                recorder.thread = Thread.current
                connection.startAtOnce()
                connection.suspend()
                connection.resume()
                return connection.state
            }
            #expect(state == .exchanging)
            let heard = recorder.atEnd()
            #expect(heard.text == "hello world", "\(String(describing: heard.error))")
        }
    }

    private func socketCount(_ recorder: Recorder, _ world: TestWorld) -> Int? {
        world.thread.sync { recorder.connection?.transfer?.easy?.sockets.count ?? 0 }
    }

    /// Has libcurl give up its first socket, and suspends and resumes the load before the run loop goes on.
    private static func giveUpAndSuspend(_ connection: URLConnection?) -> Bool {
        guard let connection, let transfer = connection.transfer,
            let socket = transfer.easy?.sockets.first, let multi = transfer.transport.pool.multi
        else { return false }
        // The kernel then reports that the connection was reset.
        guard shutdown(socket, Int32(SHUT_RDWR)) == 0 else { return false }
        multi.act(on: socket, readable: false, writable: false, failed: true)
        connection.suspend()
        connection.resume()
        return transfer.state == .exchanging
    }

    @Test func `one that is suspended by its last question waits for no slot`() throws {
        try withWorld { world in
            let first = Recorder()
            world.thread.start(world.request("/gate/first"), first) {
                $0.configuration.httpMaximumConnectionsPerHost = 1
            }
            #expect(world.server.waitUntilReached("first"))
            let stream = InputStream(data: Data("once".utf8))
            stream.open()
            stream.close()
            var request = world.request("/upload", "PUT")
            request.httpBodyStream = stream
            let delegate = Waiting()
            delegate.onStream = {
                $0.suspend()
                return PiecesStream([Data("again".utf8)])
            }
            let connection = Box(
                start(request, delegate, world) {
                    $0.configuration.httpMaximumConnectionsPerHost = 1
                })
            #expect(waits(delegate, world) == 0)
            #expect(world.thread.sync { delegate.streams } == 1)
            _ = world.thread.sync { connection.value?.resume() }
            #expect(waits(delegate, world) == 1)
            world.server.release("first")
            #expect(delegate.ended.blocks(until: 1))
            #expect(first.atEnd().error == nil)
        }
    }

    /// Loads what is answered with 503, with a policy that sends it again.
    private func refused(_ world: TestWorld, _ delegate: Waiting) -> URLConnection? {
        world.server.add("/busy") { _ in .text("busy", status: 503) }
        return start(world.request("/busy"), delegate, world) {
            var policy = RetryPolicy(budget: nil)
            policy.delay = 0
            policy.maximumAttempts = 2
            $0.configuration.retryPolicy = policy
        }
    }

    @Test func `one that is suspended when it is to be sent again says so when it is resumed`()
        throws
    {
        try withWorld { world in
            let delegate = Waiting()
            delegate.onRetry = { [unowned delegate] in
                if delegate.retries == 1 { $0.suspend() }
            }
            let connection = Box(refused(world, delegate))
            while world.thread.sync({ delegate.retries }) == 0 {}
            #expect(waits(delegate, world) == 0)
            _ = world.thread.sync { connection.value?.resume() }
            #expect(delegate.ended.blocks(until: 1))
            #expect(waits(delegate, world) == 2)
            #expect(world.server.requests.count == 2)
        }
    }

    @Test func `nothing follows a cancel in the call about another try`() throws {
        try withWorld { world in
            let delegate = Waiting()
            delegate.onRetry = { $0.cancel() }
            let connection = refused(world, delegate)
            while world.thread.sync({ delegate.retries }) == 0 {}
            #expect(waits(delegate, world) == 0)
            #expect(world.thread.sync { delegate.hasEnded } == false)
            #expect(world.server.requests.count == 1)
            withExtendedLifetime(connection) {}
        }
    }

    @Test func `a load with an open question is gone when its thread ends`() throws {
        let gone = Signal()
        try withWorld { world in
            let decider = Decider(late: .response)
            let sentinel = Box(Sentinel(gone))
            decider.onCall = { [value = sentinel.value] _, _ in value?.touch() }
            sentinel.value = nil
            world.thread.start(world.request("/ok"), decider)
            #expect(decider.isCalled(.response))
            _ = world.thread.sync {
                decider.connection = nil
                TransportTable.closeAll()
            }
        }
        #expect(gone.blocks(until: 1))
    }

    /// A load that has no transfer when its thread ends.
    enum WithoutTransfer: CaseIterable {
        case isCalled, isSuspended, isSuspendedBeforeItsStart
    }

    @Test(arguments: WithoutTransfer.allCases, [false, true])
    func `a load without a transfer is gone when its thread ends`(
        _ state: WithoutTransfer, closesFirst: Bool
    ) throws {
        let gone = Signal()
        let thread = LoopThread()
        try begin(state, on: thread, gone)
        thread.end(closesTransports: closesFirst)
        #expect(gone.blocks(until: 1))
    }

    private func begin(_ state: WithoutTransfer, on thread: LoopThread, _ gone: Signal) throws {
        let decider = Decider(late: .response)
        let request = URLRequest(url: try #require(URL(string: "data:,hello")))
        let reached = Signal()
        let sentinel = Sentinel(gone)
        decider.onCall = { call, connection in
            sentinel.touch()
            if state == .isSuspended, call == .willSend { connection.suspend() }
            reached.fire()
        }
        thread.start(request, decider) {
            $0.configuration.loadsLocalAddresses = true
            if state == .isSuspendedBeforeItsStart { $0.suspend() }
        }
        switch state {
        case .isCalled: #expect(decider.isCalled(.response))
        case .isSuspended: #expect(reached.blocks(until: 1))
        case .isSuspendedBeforeItsStart: thread.settle()
        }
        _ = thread.sync { decider.connection = nil }
    }
}
