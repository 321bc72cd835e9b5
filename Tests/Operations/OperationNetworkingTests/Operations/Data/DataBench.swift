import CurlConnection
import OperationNetworking
import TestSupport

/// A server and a network thread of one test's own.
final class DataBench: Sendable {
    /// Three pieces; a failure can be put at each byte of each.
    static let three = [Data("abcdefg".utf8), Data("hijkl".utf8), Data("mnopqr".utf8)]
    static let threeWhole = Data("abcdefghijklmnopqr".utf8)

    let server = LoopbackServer()
    let thread = NetworkThread(name: "test")

    init() throws {
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
        await server.reaches(gate, count: count)
    }

    /// Returns when the server's counters are as wanted.
    func statistics(_ condition: @escaping @Sendable (Statistics) -> Bool) async -> Bool {
        await server.sees { now, _ in condition(now) }
    }

    /// Returns when everything handed to the network thread so far is done.
    func threadIsIdle() async {
        await withCheckedContinuation { continuation in
            thread.perform(inModes: [.common]) { continuation.resume() }
        }
    }
}

extension URLConnectionOperation {
    /// Happens when the completion block runs.
    func ending() -> Signal {
        let end = Signal()
        completionBlock = { end.fire() }
        return end
    }

    /// Starts and returns after the end.
    func run() async {
        let end = ending()
        start()
        await end.wait()
    }

    var errorCode: URLError.Code? { (error as? URLError)?.code }
}
