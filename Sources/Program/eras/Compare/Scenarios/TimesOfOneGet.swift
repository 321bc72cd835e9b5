import CurlConnection
import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct TimesOfOneGet: FoundationScenario {
    let id = "times-of-one-get"
    let title = "Where the time of a request went"
    let question = "What is measured, and by what?"
    let changes = [
        Change(
            .design,
            "The original's operation has no times at all; its session passes URLSession's metrics, and "
                + "a request has a timeline of its own, from its start to the end of its serializer.",
            source: "the metrics block (UM-25), the timeline (AL-34)",
            differences: [
                .init("timeline", in: .request, was: "-", is: "in order")
            ]),
        Change(
            .foundation,
            "URLSession on Linux collects no metrics.",
            source: "metrics are never collected (LX-01)",
            differences: [
                .init(
                    "metrics", in: .foundation,
                    was: "1 exchange, http/1.1, new connection, in order", is: "none")
            ]),
        Change(
            .repair,
            "Every request is measured here by the transport, also an operation, by the names of "
                + "URLSessionTaskMetrics.",
            source: "Documentation/Transport.md"),
    ]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.get("get") { operation, _ in
            stage.outcome("metrics", Self.text(of: operation.metrics))
        }
        stage.ends(after: 1)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.get("get", progress: nil) { task, _ in
            stage.outcome("metrics", Self.text(of: task.metrics))
        }
        stage.ends(after: 1)
    }

    func requestEra(_ stage: Stage) {
        let request = SessionManager.default.request(stage.url("/get"))
        request.responseJSON { response in
            stage.outcome("metrics", Self.text(of: request.task?.metrics))
            let times = response.timeline
            let instants = [
                times.requestStartTime, times.initialResponseTime, times.requestCompletedTime,
                times.serializationCompletedTime,
            ]
            stage.outcome("timeline", instants == instants.sorted() ? "in order" : "not in order")
        }
        stage.ends(after: 2)
    }

    func foundationEra(_ stage: Stage) {
        let times = Times(stage)
        let session = URLSession(configuration: .default, delegate: times, delegateQueue: nil)
        session.dataTask(with: stage.url("/get")).resume()
        stage.ends(after: 1)
    }

    /// The properties of the times that do not vary between runs.
    private static func text(of metrics: RequestMetrics?) -> String {
        guard let metrics, let first = metrics.transactionMetrics.first else { return "none" }
        let instants = [
            first.fetchStartDate, first.connectStartDate, first.connectEndDate,
            first.requestStartDate, first.requestEndDate, first.responseStartDate,
            first.responseEndDate,
        ].compactMap(\.self)
        return [
            Quantity.count(metrics.transactionMetrics.count, "exchange"),
            first.networkProtocolName ?? "no protocol",
            first.isReusedConnection ? "kept connection" : "new connection",
            instants.count == 7 && instants == instants.sorted() ? "in order" : "not in order",
        ].joined(separator: ", ")
    }
}

/// Waits for the metrics of a task, which come before its end.
///
/// ## Concurrency
/// Call from: the session's delegate queue. Lock: one around the text. Calls out on: that queue (the stage).
private final class Times: NSObject, URLSessionTaskDelegate {
    private let stage: Stage
    private let text = Latest("none")

    init(_ stage: Stage) {
        self.stage = stage
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        text.value = Quantity.count(metrics.transactionMetrics.count, "exchange")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        stage.outcome("metrics", error ?? text.value)
    }
}
