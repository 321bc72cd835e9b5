import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct ProgressOfTwoUploads: Scenario {
    let id = "progress-of-two-uploads"
    let title = "Two uploads, each with its progress, and both together"
    let question = "Where is the progress of one task, and of all?"
    let changes = [
        Change(
            .design,
            "An operation calls its block with three numbers, which the caller stores and adds up. A "
                + "manager has a Progress for each task, and a request has its own; a Progress can be "
                + "the child of another, which adds up its children.",
            source: "a task's progress objects can be asked for (UM-10, UM-11); a request's (AL-30)"
        )
    ]

    private static let sizes = [("small", 1_000), ("large", 300_000)]

    func connectionEra(_ stage: Stage) {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        let sent = Latest<[String: Int64]>([:])
        let ended = Latest(0)
        for (name, size) in Self.sizes {
            var request = URLRequest(url: stage.url("/upload"))
            request.httpMethod = "POST"
            request.httpBody = Data(repeating: 7, count: size)
            let operation = manager.httpRequestOperation(with: request) { _, _ in
                stage.outcome(name, "\(sent.value[name] ?? 0) of \(size)")
                guard ended.change({ $0 += 1 }) == 2 else { return }
                let all = Self.sizes.reduce(0) { $0 + $1.1 }
                let part = Double(sent.value.values.reduce(0, +)) / Double(all)
                stage.outcome("both", Int(part * 100))
            } failure: { _, error in
                stage.outcome(name, error)
            }
            operation.setUploadProgressBlock { _, total, _ in
                sent.change { $0[name] = total }
            }
            manager.enqueue(operation)
        }
        stage.ends(after: 3)
    }

    func sessionEra(_ stage: Stage) {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        let both = Progress(totalUnitCount: 2)
        let ended = Latest(0)
        for (name, size) in Self.sizes {
            var request = URLRequest(url: stage.url("/upload"))
            request.httpMethod = "POST"
            let own = Latest<Progress?>(nil)
            let body = Data(repeating: 7, count: size)
            let task = manager.uploadTask(with: request, from: body, progress: nil) {
                _, _, error in
                let progress = own.value
                stage.outcome(
                    name,
                    error
                        ?? "\(progress?.completedUnitCount ?? 0) of \(progress?.totalUnitCount ?? 0)"
                )
                guard ended.change({ $0 += 1 }) == 2 else { return }
                stage.outcome("both", Int(both.fractionCompleted * 100))
            }
            own.value = manager.uploadProgress(for: task)
            own.value.map { both.addChild($0, withPendingUnitCount: 1) }
            task.resume()
        }
        stage.ends(after: 3)
    }

    func requestEra(_ stage: Stage) {
        let manager = stage.keep(SessionManager())
        manager.startRequestsImmediately = false
        let both = Progress(totalUnitCount: 2)
        let ended = Latest(0)
        for (name, size) in Self.sizes {
            let request = manager.upload(
                Data(repeating: 7, count: size), to: stage.url("/upload"))
            let progress = request.uploadProgress
            both.addChild(progress, withPendingUnitCount: 1)
            request.response { response in
                stage.outcome(
                    name,
                    response.error
                        ?? "\(progress.completedUnitCount) of \(progress.totalUnitCount)")
                guard ended.change({ $0 += 1 }) == 2 else { return }
                stage.outcome("both", Int(both.fractionCompleted * 100))
            }
            request.resume()
        }
        stage.ends(after: 3)
    }
}
