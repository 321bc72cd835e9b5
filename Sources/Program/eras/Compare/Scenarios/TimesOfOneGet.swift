import CurlConnection
import Foundation
import FoundationNetworking
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
            "AFNetworking 2's operation measures no times. AFNetworking 4's session manager passes "
                + "URLSession's metrics to a block, and an Alamofire request has a timeline, from its "
                + "start to the end of its serialization.",
            source: "the metrics block, the timeline (Statements.md, UM-25 and AL-34)",
            differences: [
                .init("timeline", in: .request, was: "-", is: "dates in order")
            ]),
        Change(
            .foundation,
            "URLSession on Linux collects no metrics.",
            source: "Statements.md, LX-01",
            differences: [
                .init(
                    "metrics", in: .foundation,
                    was: "1 transaction, http/1.1, new connection, dates in order", is: "none")
            ]),
        Change(
            .repair,
            "Here the transport measures every request, an operation's too, and its metrics have the "
                + "property names of URLSessionTaskMetrics.",
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
            let timeline = response.timeline
            let dates = [
                timeline.requestStartTime, timeline.initialResponseTime,
                timeline.requestCompletedTime, timeline.serializationCompletedTime,
            ]
            stage.outcome("timeline", Self.order(of: dates))
        }
        stage.ends(after: 2)
    }

    func foundationEra(_ stage: Stage) {
        let delegate = MetricsDelegate(stage)
        let session = URLSession(configuration: .default, delegate: delegate, delegateQueue: nil)
        session.dataTask(with: stage.url("/get")).resume()
        stage.ends(after: 1)
    }

    /// Describes metrics by what does not vary from run to run: the number of transactions, and of the first one the
    /// protocol, whether its connection was reused, and whether its dates are in order. Without one it is "none".
    private static func text(of metrics: RequestMetrics?) -> String {
        guard let metrics, let first = metrics.transactionMetrics.first else { return "none" }
        let dates = [
            first.fetchStartDate, first.connectStartDate, first.connectEndDate,
            first.requestStartDate, first.requestEndDate, first.responseStartDate,
            first.responseEndDate,
        ]
        return [
            Quantity.count(metrics.transactionMetrics.count, "transaction"),
            first.networkProtocolName ?? "no protocol",
            first.isReusedConnection ? "reused connection" : "new connection",
            order(of: dates),
        ].joined(separator: ", ")
    }

    private static func order<Instant: Comparable>(of dates: [Instant?]) -> String {
        let known = dates.compactMap(\.self)
        if known.count < dates.count { return "dates missing" }
        return known == known.sorted() ? "dates in order" : "dates not in order"
    }
}

/// Notes how many transactions the metrics of a task have, and reports the number when the task has completed. Without
/// metrics, as on Linux, it reports "none"; of a task that failed, the error alone.
///
/// ## Concurrency
/// Call from: the session's delegate queue. Lock: one around the text. Calls out on: the session's delegate queue
/// (`stage`).
private final class MetricsDelegate: NSObject, URLSessionTaskDelegate {
    private let stage: Stage
    private let text = Latest("none")

    init(_ stage: Stage) {
        self.stage = stage
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        text.value = Quantity.count(metrics.transactionMetrics.count, "transaction")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        stage.outcome("metrics", error ?? text.value)
    }
}
