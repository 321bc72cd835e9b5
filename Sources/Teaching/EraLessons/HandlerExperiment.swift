import Foundation
import Lessons
import Locking
import LoopbackServer
import RequestEra

/// The experiment of lesson 15: response handlers that are added before the response, while the server delays it, and
/// after the request has ended.
enum HandlerExperiment {
    static func run() throws -> ExperimentResult {
        let columns = [
            try look("correct") { EraRequest($0) },
            try look("listOfBlocks") { ToyRequest($0, keeps: true) },
            try look("atOnce") { ToyRequest($0, keeps: false) },
        ]
        let whats = [
            Words("a handler added before the response gets the body", "响应之前添加的 handler 拿到 body"),
            Words(
                "one added while the server held it gets the body", "服务器扣住响应时添加的 handler 拿到 body"),
            Words("one added after the end gets the body", "结束之后添加的 handler 拿到 body"),
        ]
        return ExperimentResult(
            variants: ["correct", "listOfBlocks", "atOnce"],
            facts: whats.enumerated().map { row, what in .init(what, columns.map { $0[row] }) },
            answer: columns[0][2] ? 1 : 2)
    }

    /// Returns for each of the three handlers whether it got the body.
    private static func look(
        _ variant: String, _ make: (URL) -> any HandledRequest
    ) throws -> [Bool] {
        try withServer(of: variant) { server in
            let bodies = (0..<3).map { _ in Outcome<String>() }
            let request = make(server.url("/held"))
            request.add { bodies[0].comes($0) }
            server.reaches("held")
            request.add { bodies[1].comes($0) }
            server.release("held")
            _ = request.isOver.wait()
            // Added after the end. One of the variants never calls it, so the wait has a limit.
            request.add { bodies[2].comes($0) }
            return bodies.map {
                $0.wait(within: variant == "correct" ? Patience.long : Patience.short) == "held"
            }
        }
    }
}

/// A request to which handlers of its body can be added at any time.
private protocol HandledRequest {
    /// Signalled when the request has ended and its handlers are being called.
    var isOver: Moment { get }
    func add(_ handler: @escaping @Sendable (_ body: String) -> Void)
}

/// The design of Alamofire 4: handlers are operations in a queue that is suspended until the request has ended.
private struct EraRequest: HandledRequest {
    let isOver = Moment()
    private let manager = SessionManager()
    private let request: DataRequest
    private let queue = DispatchQueue(label: "completion queue")

    init(_ url: URL) {
        request = manager.request(url)
        request.response(queue: queue) { [isOver] _ in isOver.signal() }
    }

    func add(_ handler: @escaping @Sendable (String) -> Void) {
        request.responseData(queue: queue) { response in
            handler(String(decoding: response.value ?? Data(), as: UTF8.self))
        }
    }
}

/// Two designs with a fault: one loses handlers that are added late, the other calls early ones without a body.
private final class ToyRequest: HandledRequest, Sendable {
    let isOver = Moment()
    private let manager = SessionManager()
    private let keeps: Bool
    private let body = Locked("")
    private let handlers = Locked<[@Sendable (String) -> Void]>([])

    /// - Parameter keeps: whether handlers are stored and called at the end; otherwise `add` calls them at once.
    init(_ url: URL, keeps: Bool) {
        self.keeps = keeps
        let queue = DispatchQueue(label: "completion queue")
        manager.request(url).responseData(queue: queue) { [weak self] in self?.end($0.value) }
    }

    func add(_ handler: @escaping @Sendable (String) -> Void) {
        if keeps { handlers.withLock { $0.append(handler) } } else { handler(body.withLock { $0 }) }
    }

    /// Calls the handlers that were added until now. The fault: one that is added later is never called.
    private func end(_ data: Data?) {
        let text = String(decoding: data ?? Data(), as: UTF8.self)
        body.withLock { $0 = text }
        for handler in handlers.withLock({ $0 }) { handler(text) }
        isOver.signal()
    }
}
