import TestSupport

@testable import OperationNetworking

/// A server, and a network thread that a test may hold.
final class LifeRoom: Sendable {
    let server: LoopbackServer
    let thread = NetworkThread(name: "test")

    init() throws {
        server = LoopbackServer()
        try server.start()
    }

    deinit {
        server.stop()
    }

    func request(_ path: String) -> URLRequest {
        URLRequest(url: server.url(path), timeoutInterval: 30)
    }

    /// An operation on this room's thread.
    func operation(_ path: String = "/ok") -> LifeOperation {
        let operation = LifeOperation(request: request(path))
        operation.networkThread = thread
        return operation
    }

    /// A path whose answer stops at the gate: before its head, or behind so many bytes of its body.
    func gate(_ name: String, body: Data = Data("hello world".utf8), after count: Int? = nil)
        -> String
    {
        let head = ScriptedResponse.head(200, [("Content-Length", "\(body.count)")])
        server.add("/held/\(name)") { _ in
            guard let count else {
                return ScriptedResponse([.wait(gate: name), .bytes(head), .bytes(body)])
            }
            return ScriptedResponse([
                .bytes(head), .bytes(body.prefix(count)), .wait(gate: name),
                .bytes(body.dropFirst(count)),
            ])
        }
        return "/held/\(name)"
    }

    /// Waits until answers have come to a gate.
    func reached(_ gate: String, count: Int = 1) async {
        let isReached = await server.reaches(gate, count: count)
        if !isReached { Issue.record("No answer came to the gate \(gate).") }
    }

    /// Waits until the server counts this.
    func serverSees(
        _ what: String, _ condition: @escaping @Sendable (Statistics) -> Bool
    ) async {
        let isSeen = await server.sees { statistics, _ in condition(statistics) }
        if !isSeen { Issue.record("The server does not see: \(what).") }
    }

    func serverSeesTheClose() async {
        await serverSees("the close") { $0.connectionsOpen == 0 }
    }

    /// Waits until the queue has nothing any more.
    func empties(_ queue: OperationQueue) async {
        await aside { queue.waitUntilAllOperationsAreFinished() }
        #expect(queue.operationCount == 0)
    }

    /// Stops the network thread, once what it was told before is done.
    func holdThread() async -> LifeHold {
        let hold = LifeHold()
        thread.perform(inModes: [.common]) { hold.stop() }
        await hold.isHeld.wait(for: 1, "the network thread")
        return hold
    }

    /// Lets the network thread do what it was told so far.
    func settle() async {
        for _ in 0..<3 {
            let done = Signal()
            thread.perform(inModes: [.common]) { done.fire() }
            await done.wait(for: 1, "the network thread")
        }
    }
}

/// A stop for a thread that walks into it; it lets go at the latest when it is dropped.
final class LifeHold: Sendable {
    let isHeld = Signal()
    private let gate = DispatchSemaphore(value: 0)

    func stop() {
        let gate = gate
        isHeld.fire()
        if gate.wait(timeout: .now() + patience) != .success {
            Issue.record("A held thread was never released.")
        }
    }

    func release() {
        gate.signal()
    }
}

extension OperationQueue {
    /// Adds operations, in order, also from an async test.
    func take(_ operations: Operation...) {
        for operation in operations { addOperation(operation) }
    }
}
