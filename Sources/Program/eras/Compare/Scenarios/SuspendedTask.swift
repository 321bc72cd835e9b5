import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct SuspendedTask: FoundationScenario {
    let id = "suspended-task"
    let title = "Pause a get that has begun to arrive"
    let question = "How many bytes arrive of a body of a thousand?"
    let changes = [
        Change(
            .design,
            "A pause closes the operation's connection, and the operation then requests the bytes after "
                + "the 400 it has; a suspended task keeps its connection, in which the others wait.",
            source: "the operation sends the offset it has (HO-12); a suspended task goes on",
            differences: [
                .init(
                    "ranges asked for", in: .session, .request, was: "all, bytes=400-", is: "all"),
                .init(
                    "requests", in: .session, .request, was: "2 GET /page", is: "1 GET /page"),
            ]),
        Change(
            .foundation,
            "A task of URLSession on Linux that is suspended and resumed is sent again from its "
                + "first byte, and the delegate gets the first part twice.",
            source: "URLSession on Linux starts a resumed task anew (LX-06)",
            differences: [
                .init(
                    "page", in: .foundation, was: "1000 bytes, hash eb209c1f54166a58",
                    is: "1400 bytes, hash f047375cbdaa9dd5"),
                .init("ranges asked for", in: .foundation, was: "all", is: "all, all"),
                .init("requests", in: .foundation, was: "1 GET /page", is: "2 GET /page"),
            ]),
    ]

    /// 1000 bytes; a gate holds back 600 of them.
    func prepare(_ server: LoopbackServer) {
        server.addHeldFile("/page", seed: 9, length: 1_000, door: 400)
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        let request = URLRequest(url: stage.url("/page"))
        let operation = manager.httpRequestOperation(with: request) { _, data in
            stage.outcome("page", data)
        } failure: { _, error in
            stage.outcome("page", error)
        }
        operation.setDownloadProgressBlock { [weak operation] _, total, _ in
            guard total == 400 else { return }
            operation?.pause()
            stage.whenLeft {
                stage.release("door")
                operation?.resume()
            }
        }
        manager.enqueue(operation)
        stage.ends(after: 1)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        let begun = Latest<SessionDataTask?>(nil)
        // Resumed after it is stored, because its first bytes may arrive at once.
        let task = manager.dataTask(
            withHTTPMethod: "GET", urlString: "page", parameters: nil, headers: nil,
            uploadProgress: nil
        ) { progress in
            guard progress.completedUnitCount == 400 else { return }
            let task = begun.value
            begun.value = nil
            task?.suspend()
            stage.release("door")
            task?.resume()
        } success: { _, data in
            stage.outcome("page", data)
        } failure: { _, error in
            stage.outcome("page", error)
        }
        begun.value = task
        task?.resume()
        stage.ends(after: 1)
    }

    func requestEra(_ stage: Stage) {
        // Not started at once, so that progress blocks are set before the first byte.
        let manager = stage.keep(SessionManager())
        manager.startRequestsImmediately = false
        let running = Latest<DataRequest?>(nil)
        running.value = manager.request(stage.url("/page"))
            .downloadProgress { progress in
                guard progress.completedUnitCount == 400 else { return }
                let request = running.value
                running.value = nil
                request?.suspend()
                stage.release("door")
                request?.resume()
            }
            .responseData { response in
                stage.outcome("page", response.error ?? response.value)
            }
        running.value?.resume()
        stage.ends(after: 1)
    }

    func foundationEra(_ stage: Stage) {
        let page = Page(stage)
        let session = URLSession(configuration: .default, delegate: page, delegateQueue: nil)
        session.dataTask(with: stage.url("/page")).resume()
        stage.ends(after: 1)
    }

    func serverOutcomes(_ server: LoopbackServer) -> [Outcome] {
        [.ranges(at: server)]
    }
}

/// Collects a body, and pauses its task once it has 400 bytes.
///
/// ## Concurrency
/// Call from: the session's delegate queue. Lock: one around the body. Calls out on: that queue (the stage).
private final class Page: NSObject, URLSessionDataDelegate {
    private let stage: Stage
    private let body = Latest(Data())

    init(_ stage: Stage) {
        self.stage = stage
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        body.value += data
        guard body.value.count == 400 else { return }
        dataTask.suspend()
        // Later, because at once the suspension may not have begun.
        stage.after(seconds: 0.2) { [stage] in
            stage.release("door")
            dataTask.resume()
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        stage.outcome("page", error ?? body.value)
    }
}
