import Foundation
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct SlowCompletionBlock: Scenario {
    let id = "slow-completion-block"
    let title = "A completion block that takes long"
    let question = "Does progress of another request wait for it?"
    let changes = [
        Change(
            .design,
            "An operation's progress block is called on the main queue, so it waits while another block "
                + "runs there, and so does a request's; a task's is called on the delegate queue in the "
                + "meantime. The other block waits two seconds for it at most.",
            source: "the original calls progress blocks of tasks on the delegate queue (UM-10), "
                + "and those of requests on main (AL-30)",
            differences: [
                .init("progress meanwhile", in: .session, was: "no", is: "yes")
            ])
    ]
    let gates = ["door"]

    func prepare(_ server: LoopbackServer) {
        server.add("/film") { request in
            .generatedFile(seed: 3, length: 1_000, request: request).after(.wait(gate: "door"))
        }
    }

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        let progress = DispatchSemaphore(value: 0)
        let film = manager.get("film") { _, data in
            stage.outcome("film", data)
        } failure: { _, error in
            stage.outcome("film", error)
        }
        film?.setDownloadProgressBlock { _, _, _ in progress.signal() }
        stage.whenReached("door") {
            manager.get("ok") { _, data in
                stage.release("door")
                let isMeanwhile = progress.wait(timeout: .now() + 2) == .success
                stage.outcome("progress meanwhile", isMeanwhile)
                stage.outcome("slow", data)
            }
        }
        stage.ends(after: 3)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        let progress = DispatchSemaphore(value: 0)
        manager.get("film") { _ in
            progress.signal()
        } success: { _, data in
            stage.outcome("film", data)
        } failure: { _, error in
            stage.outcome("film", error)
        }
        stage.whenReached("door") {
            manager.get("ok", progress: nil) { _, data in
                stage.release("door")
                let isMeanwhile = progress.wait(timeout: .now() + 30) == .success
                stage.outcome("progress meanwhile", isMeanwhile)
                stage.outcome("slow", data)
            }
        }
        stage.ends(after: 3)
    }

    func requestEra(_ stage: Stage) {
        let progress = DispatchSemaphore(value: 0)
        SessionManager.default.request(stage.url("/film"))
            .downloadProgress { _ in progress.signal() }
            .responseData { response in
                stage.outcome("film", response.error ?? response.value)
            }
        stage.whenReached("door") {
            SessionManager.default.request(stage.url("/ok")).responseData { response in
                stage.release("door")
                let isMeanwhile = progress.wait(timeout: .now() + 2) == .success
                stage.outcome("progress meanwhile", isMeanwhile)
                stage.outcome("slow", response.error ?? response.value)
            }
        }
        stage.ends(after: 3)
    }
}
