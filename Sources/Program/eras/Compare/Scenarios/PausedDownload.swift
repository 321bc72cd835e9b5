import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct PausedDownload: Scenario {
    let id = "paused-download"
    let title = "Pause a download in the middle, and continue it"
    let question = "Are bytes that have arrived requested again?"
    let changes = [
        Change(
            .design,
            "The operation is paused, and sets Range and If-Range in its request itself; a task is "
                + "cancelled and produces resume data for another one, and so does a request, which "
                + "has it in its response. All request the missing half.",
            source: "the operation sends the offset it has (HO-12, HO-13); resume data is the "
                + "session's (UM-07) and the request's (AL-24)"),
        Change(
            .repair,
            "URLSession on Linux has no resume data, so the tasks of this package make their own.",
            source: "URLSession on Linux gives no resume data (LX-07)"),
    ]

    /// 200,000 bytes; a gate holds back the second half.
    func prepare(_ server: LoopbackServer) {
        server.addHeldFile("/film", seed: 8, length: 200_000, door: 100_000)
    }

    func connectionEra(_ stage: Stage) {
        let file = stage.file("film")
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        let request = URLRequest(url: stage.url("/film"))
        let operation = manager.httpRequestOperation(with: request) { _, _ in
            stage.outcome("film", try? Data(contentsOf: file))
        } failure: { _, error in
            stage.outcome("film", error)
        }
        operation.outputStream = OutputStream(url: file, append: false)
        operation.setDownloadProgressBlock { [weak operation] _, total, _ in
            guard total == 100_000 else { return }
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
        let file = stage.file("film")
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        let running = Latest<SessionDownloadTask?>(nil)
        let request = URLRequest(url: stage.url("/film"))
        running.value = manager.downloadTask(with: request) { progress in
            guard progress.completedUnitCount == 100_000, let task = running.value else { return }
            running.value = nil
            task.cancel { data in
                stage.release("door")
                guard let data else { return stage.outcome("film", "no resume data") }
                let rest = manager.downloadTask(withResumeData: data, progress: nil) { _, _ in
                    file
                } completionHandler: { _, path, error in
                    stage.outcome("film", error ?? path.flatMap { try? Data(contentsOf: $0) })
                }
                rest.resume()
            }
        } destination: { _, _ in
            file
        }
        running.value?.resume()
        stage.ends(after: 1)
    }

    func requestEra(_ stage: Stage) {
        let file = stage.file("film")
        // Not started at once, so that progress blocks are set before the first byte.
        let manager = stage.keep(SessionManager())
        manager.startRequestsImmediately = false
        let running = Latest<DownloadRequest?>(nil)
        running.value = manager.download(stage.url("/film")) { _, _ in (file, []) }
            .downloadProgress { progress in
                guard progress.completedUnitCount == 100_000 else { return }
                running.value?.cancel()
                running.value = nil
            }
            .responseData { response in
                stage.release("door")
                guard let data = response.resumeData else {
                    return stage.outcome("film", "no resume data")
                }
                manager.download(resumingWith: data) { _, _ in (file, []) }
                    .responseData { response in
                        stage.outcome("film", response.error ?? response.value)
                    }
                    .resume()
            }
        running.value?.resume()
        stage.ends(after: 1)
    }

    func serverOutcomes(_ server: LoopbackServer) -> [Outcome] {
        [.ranges(at: server)]
    }
}
