import Foundation
import FoundationNetworking
import Locking
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct CutDownload: Scenario {
    let id = "cut-download"
    let title = "A download whose connection breaks in the middle"
    let question = "Who goes on, and from where?"
    /// The operation waits a random time before its second request; the other columns do not.
    let isWorkTheSame = false
    let changes = [
        Change(
            .design,
            "A session's download and a request have resume data also when they fail, the one in its "
                + "error, the other in its response, and the caller continues them.",
            source: "resume data (UM-07); a response has it (AL-24)"),
        Change(
            .repair,
            "The original's operation ended with its error too. Here a download is one operation "
                + "with all its tries, which requests the missing bytes.",
            source: "Documentation/Decisions/0038-a-download-is-one-operation.md"),
    ]

    /// 200,000 bytes; the first connection breaks after half of them.
    func prepare(_ server: LoopbackServer) {
        let isCut = Locked(false)
        server.add("/film") { request in
            let whole = ScriptedResponse.generatedFile(seed: 8, length: 200_000, request: request)
            let isFirst = isCut.withLock { isCut in
                defer { isCut = true }
                return !isCut
            }
            guard isFirst else { return whole }
            return ScriptedResponse(
                whole.steps.dropLast() + [.generated(seed: 8, range: 0..<100_000), .close])
        }
    }

    func connectionEra(_ stage: Stage) {
        let file = stage.file("film")
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.download(URLRequest(url: stage.url("/film")), to: file) { result in
            switch result {
            case .success(let film): stage.outcome("film", try? Data(contentsOf: film.url))
            case .failure(let error): stage.outcome("film", error)
            }
        }
        stage.ends(after: 1)
    }

    func sessionEra(_ stage: Stage) {
        let file = stage.file("film")
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        @Sendable func load(_ part: Data?, tries: Int) {
            let ended: URLSessionManager.DownloadCompletionHandler = { _, path, error in
                guard let error, tries > 1 else {
                    let film = path.flatMap { try? Data(contentsOf: $0) }
                    return stage.outcome("film", error ?? film)
                }
                let part = (error as NSError).userInfo[URLSessionDownloadTaskResumeData]
                load(part as? Data, tries: tries - 1)
            }
            let task =
                if let part {
                    manager.downloadTask(
                        withResumeData: part, destination: { _, _ in file },
                        completionHandler: ended)
                } else {
                    manager.downloadTask(
                        with: URLRequest(url: stage.url("/film")), destination: { _, _ in file },
                        completionHandler: ended)
                }
            task.resume()
        }
        load(nil, tries: 2)
        stage.ends(after: 1)
    }

    func requestEra(_ stage: Stage) {
        let file = stage.file("film")
        let manager = SessionManager.default
        @Sendable func load(tries: Int) {
            manager.download(stage.url("/film")) { _, _ in (file, []) }
                .responseData { response in
                    guard response.error != nil, tries > 1 else {
                        return stage.outcome("film", response.error ?? response.value)
                    }
                    if let data = response.resumeData {
                        manager.download(resumingWith: data) { _, _ in (file, []) }
                            .responseData { stage.outcome("film", $0.error ?? $0.value) }
                    } else {
                        load(tries: tries - 1)
                    }
                }
        }
        load(tries: 2)
        stage.ends(after: 1)
    }

    func serverOutcomes(_ server: LoopbackServer) -> [Outcome] {
        [.ranges(at: server)]
    }
}
