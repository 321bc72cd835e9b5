import CurlConnection
import Foundation
import FoundationNetworking
import Locking
import LoopbackServer
import OperationNetworking

/// A server and a network thread of one test's own.
final class DataBench: Sendable {
    /// Three pieces; a failure can be put at each byte of each.
    static let three = [Data("abcdefg".utf8), Data("hijkl".utf8), Data("mnopqr".utf8)]
    static let threeWhole = Data("abcdefghijklmnopqr".utf8)

    let server = LoopbackServer()
    let thread = NetworkThread(name: "test")

    init() throws {
        MainQueue.prepare()
        try server.start()
        server.add("/three/chunked") { _ in .chunked(DataBench.three) }
        server.add("/three/sized") { _ in .data(DataBench.threeWhole) }
        server.add("/three/held") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "18")]) + DataBench.three[0]),
                .wait(gate: "rest"), .bytes(DataBench.three[1] + DataBench.three[2]),
            ])
        }
        server.add("/echo-body") { .data($0.body) }
    }

    deinit {
        server.stop()
    }

    func request(_ path: String) -> URLRequest {
        URLRequest(url: server.url(path))
    }

    /// An operation on the bench's own thread.
    func operation(_ path: String) -> URLConnectionOperation {
        operation(request(path))
    }

    func operation(_ request: URLRequest) -> URLConnectionOperation {
        let operation = URLConnectionOperation(request: request)
        operation.networkThread = thread
        return operation
    }

    /// Returns when so many answers have come to a gate.
    func reached(_ gate: String, count: Int = 1) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let isReached = self.server.waitUntilReached(gate, count: count, timeout: 30)
                continuation.resume(returning: isReached)
            }
        }
    }

    /// Returns when the server's counters are as wanted.
    func statistics(_ condition: @escaping @Sendable (Statistics) -> Bool) async -> Bool {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let holds = self.server.waitUntil(timeout: 30) { now, _ in condition(now) }
                continuation.resume(returning: holds)
            }
        }
    }

    /// Returns when everything handed to the network thread so far is done.
    func threadIsIdle() async {
        await withCheckedContinuation { continuation in
            thread.perform(inModes: [.common]) { continuation.resume() }
        }
    }
}

/// Tells the main queue from others; on Linux it need not be served by the main thread.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    static func prepare() { _ = key }
}

/// Something that happens, counted and waited for.
final class Occurrence: Sendable {
    private struct State {
        var count = 0
        var isGivenUp = false
        var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.count } }

    func happen() {
        let due = state.withLock { state in
            state.count += 1
            let due = state.waiting.filter { $0.count <= state.count }
            state.waiting.removeAll { $0.count <= state.count }
            return due
        }
        due.forEach { $0.continuation.resume() }
    }

    /// Returns when it has happened so often, or when the test is out of time.
    func happened(_ count: Int = 1) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = state.withLock { state in
                    if state.count >= count || state.isGivenUp { return true }
                    state.waiting.append((count, continuation))
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            giveUp()
        }
    }

    private func giveUp() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            state.isGivenUp = true
            return state.waiting
        }
        waiting.forEach { $0.continuation.resume() }
    }
}

/// Values in the order they came, from any thread.
final class Log<Value: Sendable>: Sendable {
    private let values = Locked<[Value]>([])

    var all: [Value] { values.withLock { $0 } }

    func add(_ value: Value) {
        values.withLock { $0.append(value) }
    }
}

extension URLConnectionOperation {
    /// Happens when the completion block runs.
    func ending() -> Occurrence {
        let end = Occurrence()
        completionBlock = { end.happen() }
        return end
    }

    /// Starts and returns after the end.
    func run() async {
        let end = ending()
        start()
        await end.happened()
    }

    var errorCode: URLError.Code? { (error as? URLError)?.code }
}
