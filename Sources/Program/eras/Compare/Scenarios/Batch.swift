import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct Batch: Scenario {
    let id = "batch"
    let title = "Five requests and one block after them all"
    let question = "Who counts?"
    let changes = [
        Change(
            .design,
            "The later eras have no batches: the caller enters a group before each task, leaves it in "
                + "each block, and counts.",
            source: "batches are the operations' (BA-1 to BA-8)")
    ]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        let operations = (1...5).map { number in
            let request = URLRequest(url: stage.url("/get?number=\(number)"))
            return manager.httpRequestOperation(with: request) { _, object in
                stage.outcome("get \(number)", (object as? [String: Any])?["args"])
            } failure: { _, error in
                stage.outcome("get \(number)", error)
            }
        }
        manager.enqueue(batch: operations) { _, total in
            stage.outcome("progress", "some of \(total)")
        } completion: { operations in
            stage.outcome("all", operations.count)
        }
        stage.ends(after: 11)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        let group = DispatchGroup()
        let finished = Latest(0)
        for number in 1...5 {
            group.enter()
            manager.get("get?number=\(number)", progress: nil) { _, object in
                stage.outcome("get \(number)", (object as? [String: Any])?["args"])
                finished.change { $0 += 1 }
                stage.outcome("progress", "some of 5")
                group.leave()
            } failure: { _, error in
                stage.outcome("get \(number)", error)
                finished.change { $0 += 1 }
                stage.outcome("progress", "some of 5")
                group.leave()
            }
        }
        group.notify(queue: .main) { stage.outcome("all", finished.value) }
        stage.ends(after: 11)
    }

    func requestEra(_ stage: Stage) {
        let group = DispatchGroup()
        let finished = Latest(0)
        for number in 1...5 {
            group.enter()
            SessionManager.default.request(stage.url("/get?number=\(number)")).validate()
                .responseJSON { response in
                    let json = response.value as? [String: Any]
                    stage.outcome("get \(number)", response.error ?? json?["args"])
                    finished.change { $0 += 1 }
                    stage.outcome("progress", "some of 5")
                    group.leave()
                }
        }
        group.notify(queue: .main) { stage.outcome("all", finished.value) }
        stage.ends(after: 11)
    }
}
