import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct CallbacksInOrder: Scenario {
    let id = "callbacks-in-order"
    let title = "One after the other, and the first takes long to parse"
    let question = "Whose callback comes first?"
    let changes = [
        Change(
            .repair,
            "Bodies are parsed in parallel in all three, so callbacks may come in another order than "
                + "requests, in the original also with one operation at a time. Here a manager of "
                + "operations can keep the order.",
            source: "callbacks after a hop (CB-3, defect 24); "
                + "Documentation/Decisions/0043-results-in-order.md",
            differences: [
                .init(
                    "callback", in: .session, .request, was: "first, then second",
                    is: "second, then first")
            ])
    ]

    /// Blocks for the first request, until the gate is signalled.
    private final class LateSerializer: HTTPResponseSerializer, @unchecked Sendable {
        // @unchecked because its superclass is; the semaphore is safe from any thread.
        let gate = DispatchSemaphore(value: 0)

        override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
        {
            if response?.url?.query() == "first" { gate.wait() }
            return super.responseObject(for: response, data: data)
        }
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        let serializer = LateSerializer()
        manager.responseSerializer = serializer
        manager.maxConcurrentOperationCount = 1
        manager.completesInOrder = true
        manager.get("status/200?first") { _, _ in stage.outcome("callback", "first") }
        let second = manager.get("status/200?second") { _, _ in
            stage.outcome("callback", "second")
        }
        // The second response has arrived, and its callback would be called now.
        let end = BlockOperation { serializer.gate.signal() }
        second.map(end.addDependency)
        manager.operationQueue.addOperation(end)
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let manager = HTTPSessionManager(
            baseURL: stage.baseURL, sessionConfiguration: configuration)
        let serializer = LateSerializer()
        manager.responseSerializer = serializer
        manager.get("status/200?first", progress: nil) { _, _ in
            stage.outcome("callback", "first")
        }
        manager.get("status/200?second", progress: nil) { _, _ in
            stage.outcome("callback", "second")
            serializer.gate.signal()
        }
        stage.ends(after: 2)
    }

    func requestEra(_ stage: Stage) {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = 1
        let manager = stage.keep(SessionManager(configuration: configuration))
        let gate = DispatchSemaphore(value: 0)
        let late = DataResponseSerializer<Data> { _, _, data, error in
            gate.wait()
            return error.map { .failure($0) } ?? .success(data ?? Data())
        }
        manager.request(stage.url("/status/200?first")).response(responseSerializer: late) { _ in
            stage.outcome("callback", "first")
        }
        manager.request(stage.url("/status/200?second")).response { _ in
            stage.outcome("callback", "second")
            gate.signal()
        }
        stage.ends(after: 2)
    }
}
