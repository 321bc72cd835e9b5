import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import SessionEra

struct MultipartForm: Scenario {
    let id = "multipart-form"
    let title = "A form with a field, bytes and a file"
    let question = "Is the body streamed, and does all of it arrive?"
    let changes = [
        Change(
            .design,
            "The body is the same stream of parts; the session asks for it through its delegate "
                + "when the task begins, and the operation had it in its request.",
            source: "a streamed upload asks for its stream (UM-05, HM-07)")
    ]

    var routes: Routes { .httpbin }

    func connectionEra(_ stage: Stage) throws {
        let file = stage.file("note.txt")
        try Data("from a file".utf8).write(to: file)
        let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
        manager.post("post", parameters: ["name": "value"]) { form in
            form.appendPart(
                fileData: Data("from memory".utf8), name: "bytes", fileName: "bytes.txt",
                mimeType: "text/plain")
            try? form.appendPart(fileURL: file, name: "file")
        } success: { _, object in
            stage.outcome("form", (object as? [String: Any])?["form"])
            stage.outcome("files", (object as? [String: Any])?["files"])
        } failure: { _, error in
            stage.outcome("form", error)
        }
        stage.ends(after: 2)
    }

    func sessionEra(_ stage: Stage) throws {
        let file = stage.file("note.txt")
        try Data("from a file".utf8).write(to: file)
        let manager = HTTPSessionManager(baseURL: stage.baseURL)
        let parts: (any MultipartFormData) -> Void = { form in
            form.appendPart(
                fileData: Data("from memory".utf8), name: "bytes", fileName: "bytes.txt",
                mimeType: "text/plain")
            try? form.appendPart(fileURL: file, name: "file")
        }
        manager.post(
            "post", parameters: ["name": "value"], constructingBodyWith: parts, progress: nil
        ) { _, object in
            stage.outcome("form", (object as? [String: Any])?["form"])
            stage.outcome("files", (object as? [String: Any])?["files"])
        } failure: { _, error in
            stage.outcome("form", error)
        }
        stage.ends(after: 2)
    }
}
