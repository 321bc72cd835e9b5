import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

struct UploadWithProgress: Scenario {
    let id = "upload-with-progress"
    let title = "Upload a megabyte and show how far it is"
    let question = "On which thread does the progress come?"
    let changes = [
        Change(
            .design,
            "The operation calls a block on main with three numbers; a manager calls one on the "
                + "delegate queue with a Progress object, and a request one on main again.",
            source: "the original calls progress blocks of tasks on the delegate queue (UM-10), "
                + "and those of requests on main or a queue that is given (AL-30)",
            differences: [
                .init("progress came on", in: .session, was: "main", is: "delegate queue")
            ])
    ]

    func connectionEra(_ stage: Stage) throws {
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        var request = URLRequest(url: stage.url("/upload"))
        request.httpMethod = "POST"
        request.httpBody = Data(repeating: 7, count: 1 << 20)
        let sent = Latest("nothing")
        let place = Latest("nowhere")
        let operation = manager.httpRequestOperation(with: request) { _, object in
            stage.outcome("the server has", object)
            stage.outcome("last progress", sent.value)
            stage.outcome("progress came on", place.value)
        } failure: { _, error in
            stage.outcome("the server has", error)
        }
        operation.setUploadProgressBlock { _, total, expected in
            sent.value = "\(total) of \(expected)"
            place.value = stage.place
        }
        manager.enqueue(operation)
        stage.ends(after: 3)
    }

    func sessionEra(_ stage: Stage) throws {
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        var request = URLRequest(url: stage.url("/upload"))
        request.httpMethod = "POST"
        let body = Data(repeating: 7, count: 1 << 20)
        let sent = Latest("nothing")
        let place = Latest("nowhere")
        let task = manager.uploadTask(with: request, from: body) { progress in
            sent.value = "\(progress.completedUnitCount) of \(progress.totalUnitCount)"
            place.value = stage.place
        } completionHandler: { _, object, error in
            stage.outcome("the server has", error ?? object)
            stage.outcome("last progress", sent.value)
            stage.outcome("progress came on", place.value)
        }
        task.resume()
        stage.ends(after: 3)
    }

    func requestEra(_ stage: Stage) throws {
        // Not started at once, so that progress blocks are set before the first byte.
        let manager = stage.keep(SessionManager())
        manager.startRequestsImmediately = false
        let body = Data(repeating: 7, count: 1 << 20)
        let sent = Latest("nothing")
        let place = Latest("nowhere")
        manager.upload(body, to: stage.url("/upload"))
            .uploadProgress { progress in
                sent.value = "\(progress.completedUnitCount) of \(progress.totalUnitCount)"
                place.value = stage.place
            }
            .responseJSON { response in
                stage.outcome("the server has", response.error ?? response.value)
                stage.outcome("last progress", sent.value)
                stage.outcome("progress came on", place.value)
            }
            .resume()
        stage.ends(after: 3)
    }
}
