import Foundation
import FoundationNetworking
import LoopbackServer
import Testing

@testable import OperationNetworking

/// A server, and a network thread that a test may hold.
final class LifeRoom: Sendable {
    /// Seconds that bound a test that fails; nothing waits for it otherwise.
    static let patience: TimeInterval = 60

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
        let isReached = await LifeRoom.aside { [server] in
            server.waitUntilReached(gate, count: count, timeout: LifeRoom.patience)
        }
        if !isReached { Issue.record("No answer came to the gate \(gate).") }
    }

    /// Waits until the server counts this.
    func serverSees(
        _ what: String, _ condition: @escaping @Sendable (Statistics) -> Bool
    ) async {
        let isSeen = await LifeRoom.aside { [server] in
            server.waitUntil(timeout: LifeRoom.patience) { statistics, _ in condition(statistics) }
        }
        if !isSeen { Issue.record("The server does not see: \(what).") }
    }

    func serverSeesTheClose() async {
        await serverSees("the close") { $0.connectionsOpen == 0 }
    }

    /// Waits until the queue has nothing any more.
    func empties(_ queue: OperationQueue) async {
        let done = LifeSignal()
        DispatchQueue.global().async {
            queue.waitUntilAllOperationsAreFinished()
            done.fire()
        }
        await done.wait(for: 1, "an empty queue")
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
            let done = LifeSignal()
            thread.perform(inModes: [.common]) { done.fire() }
            await done.wait(for: 1, "the network thread")
        }
    }

    /// Lets main do what it was told so far.
    static func settleMain() async {
        for _ in 0..<3 {
            let done = LifeSignal()
            DispatchQueue.main.async { done.fire() }
            await done.wait(for: 1, "main")
        }
    }

    /// Runs what blocks away from the test's own threads.
    static func aside<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}

/// A stop for a thread that walks into it; it lets go at the latest when it is dropped.
final class LifeHold: Sendable {
    let isHeld = LifeSignal()
    private let gate = DispatchSemaphore(value: 0)

    func stop() {
        let gate = gate
        isHeld.fire()
        if gate.wait(timeout: .now() + LifeRoom.patience) != .success {
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

/// Tells the main queue, which is on no thread of its own while async tests run.
enum LifeMain {
    private static let key = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
