import OperationNetworking
import ParitySupport
import TestSupport

/// What one scenario plays on: a server of its own, a queue, observed operations, a recorder.
///
/// Scenarios run on the main actor, as the recorded ones ran on the main thread; while one waits,
/// the main queue is served.
@MainActor final class Stage {
    /// Something a scenario waited for did not happen.
    struct Overdue: Error, CustomStringConvertible {
        let description: String
    }

    /// The longest wait for anything, in seconds.
    /// The longest wait for an event, in seconds.
    var patience = TestSupport.patience

    let server: LoopbackServer
    let recorder = Recorder()
    /// Signals that a scenario waits for and that are not part of the record.
    let signals = Recorder()
    let queue = OperationQueue()
    /// What a scenario records besides events.
    var extra: [String: GoldenValue] = [:]
    /// Clients that left because the server was silent for too long.
    var clientsThatTimedOut = 0
    private var cast: [String: Operation] = [:]
    private var tokens: [any NSObjectProtocol] = []
    private var completionQueues: [DispatchQueue] = []

    init() throws {
        server = try GoldenServer.start()
        ThreadName.know(.main, as: "main")
    }

    func close() {
        tokens.forEach(NotificationCenter.default.removeObserver)
        server.stop()
        NetworkThread.shared.closeIdleConnections()
    }

    // MARK: Operations

    /// An observed operation whose blocks record; add it to a queue or start it.
    func operation(_ name: String, _ path: String, method: String = "GET") -> HTTPRequestOperation {
        var request = URLRequest(url: server.url(path))
        request.httpMethod = method
        return operation(name, request)
    }

    func operation(_ name: String, _ request: URLRequest) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: request)
        observe(operation, name)
        recordResult(of: operation, name)
        return operation
    }

    /// An observed operation of the base class, whose completion block records.
    func connectionOperation(_ name: String, _ request: URLRequest) -> URLConnectionOperation {
        let operation = URLConnectionOperation(request: request)
        observe(operation, name)
        let recorder = recorder
        operation.completionBlock = { [weak operation] in
            let isFinished = operation?.isFinished == true
            recorder.record(name, isFinished ? Event.completionBlock : "completion before the end")
        }
        return operation
    }

    func connectionOperation(_ name: String, _ path: String) -> URLConnectionOperation {
        connectionOperation(name, URLRequest(url: server.url(path)))
    }

    /// Records state and notifications, and the final state at the end.
    func observe(_ operation: URLConnectionOperation, _ name: String) {
        let recorder = recorder
        operation.stateObserver = { change in
            let values = change.isTrue ? "0>1" : "1>0"
            recorder.record(name, "\(change.keyPath) \(values)")
        }
        listen(to: operation, name)
    }

    /// Records notifications, and the final state at the end.
    func listen(to operation: URLConnectionOperation, _ name: String) {
        keep(operation, name)
        let recorder = recorder
        for kind in ["start", "finish"] {
            tokens.append(
                NotificationCenter.default.addObserver(
                    forName: .init("com.alamofire.networking.operation.\(kind)"),
                    object: operation, queue: nil
                ) { _ in recorder.record(name, "\(kind) notification") })
        }
    }

    /// Compares an operation's final state.
    func keep(_ operation: Operation, _ name: String) {
        cast[name] = operation
    }

    /// Records which of the two blocks is called, with what.
    private func recordResult(of operation: HTTPRequestOperation, _ name: String) {
        let recorder = recorder
        @Sendable func record(_ operation: HTTPRequestOperation, _ what: String) {
            recorder.record(name, operation.isFinished ? what : "completion before the end")
        }
        operation.setCompletionBlock(
            success: { record($0, Event.success(objectClass: Seen.className(of: $1))) },
            failure: { operation, error in
                let beneath = ErrorRecord.textBeneath(error)
                let text = ErrorRecord.text(of: error) ?? ""
                record(operation, Event.failure(error: text, underlying: beneath))
            })
    }

    /// Records progress; after each piece the server may send the next, unless told otherwise.
    func recordProgress(
        of operation: URLConnectionOperation, _ name: String,
        then: (@Sendable (_ total: Int64) -> Void)? = nil
    ) {
        let (recorder, server) = (recorder, server)
        let next = then ?? { _ in server.release(GoldenServer.pieces, count: 1) }
        operation.setDownloadProgressBlock { bytes, total, expected in
            recorder.record(name, Event.progress("download", bytes, total, expected))
            next(total)
        }
        operation.setUploadProgressBlock { bytes, total, expected in
            recorder.record(name, Event.progress("upload", bytes, total, expected))
        }
    }

    /// A serial queue that threads are named after.
    func completionQueue(_ label: String) -> DispatchQueue {
        let queue = DispatchQueue(label: label)
        ThreadName.know(queue, as: label)
        completionQueues.append(queue)
        return queue
    }

    /// Records a marker of the scenario.
    func called(_ what: String, _ details: [String: GoldenValue] = [:]) {
        recorder.record(
            nil, Event.marker("called", details.merging(["what": .string(what)]) { $1 }))
    }

    /// What a run showed; after it has come to rest.
    func observation() async -> Observation {
        await rest()
        let base = String(server.baseURL.absoluteString.dropLast())
        return Observation(
            events: recorder.events,
            finals: cast.mapValues { FinalState.observed($0, server: base) }, extra: extra,
            connectionsCancelled: server.statistics.abandoned - clientsThatTimedOut)
    }

    /// Lets everything that is under way on any queue come through, a few times over.
    ///
    /// - Parameter label: a queue that is held up on purpose.
    func rest(except label: String? = nil) async {
        for _ in 0..<4 {
            await withCheckedContinuation { continuation in
                NetworkThread.shared.perform(inModes: [.common]) { continuation.resume() }
            }
            for queue in [.global(), .main] + completionQueues where queue.label != label {
                await withCheckedContinuation { continuation in
                    queue.async { continuation.resume() }
                }
            }
        }
    }
}
