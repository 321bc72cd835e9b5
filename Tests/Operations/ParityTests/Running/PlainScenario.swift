import OperationNetworking
import ParitySupport
import TestSupport

extension Scenario {
    /// A scenario made from a recording that none was written for: one operation that runs to its
    /// end. Nil where the recording shows more than that.
    ///
    /// It is a guess: the recording does not tell everything that was set. So it counts where it
    /// agrees; where it does not, somebody has to read the description.
    init?(plain golden: GoldenCase) {
        let events = golden.output.canonical.filter { $0["op"] != nil }
        guard golden.output.final.count == 1, let state = golden.output.final["A"],
            let address = state["requestURL"]?.string, events.allSatisfy(Self.isPlain)
        else { return nil }
        let isOnQueue = events.first?["thread"] != "main"
        let completes = events.contains { Event(recorded: $0).kind == "completion" }
        self.init(golden.id, from: .description) { stage in
            let base = String(stage.server.baseURL.absoluteString.dropLast())
            let text = address.replacing("{base}", with: base)
            guard let url = URL(string: text) else { return }
            stage.server.release(url.path)
            stage.patience = 5
            var request = URLRequest(url: url)
            request.httpMethod = state["method"]?.string
            let operation = stage.plainOperation(request, golden)
            if !completes { operation.completionBlock = nil }
            stage.recordProgress(of: operation, "A")
            if isOnQueue { stage.queue.addOperation(operation) } else { operation.start() }
            try await stage.until("A", "finish notification")
            if completes { try await stage.end(of: "A") }
        }
    }

    /// Whether an event comes without anybody's doing.
    private static func isPlain(_ event: [String: GoldenValue]) -> Bool {
        let what = Event(recorded: event).what
        return ["main", "opqueue", "AFNetworking"].contains(event["thread"])
            && !what.hasPrefix("isPaused") && !what.hasPrefix("isCancelled")
            && !what.hasPrefix("uploadProgress")
    }
}

extension Stage {
    /// A, of the class and with the serializer and credential that the recording tells of.
    fileprivate func plainOperation(
        _ request: URLRequest, _ golden: GoldenCase
    ) -> URLConnectionOperation {
        let state = golden.output.final["A"] ?? [:]
        guard state["responseObjectClass"] != nil else {
            return connectionOperation("A", request)
        }
        let operation = operation("A", request)
        if golden.description.contains("JSON serializer") {
            operation.responseSerializer = JSONResponseSerializer()
        }
        if state["statusCode"] == 200 {
            operation.credential = URLCredential(
                user: "user", password: "pass", persistence: .none)
        }
        return operation
    }
}
