import Foundation
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct MultipartForm: Scenario {
    let id = "multipart-form"
    let title = "A form with a field, bytes and a file"
    let question = "Is the body streamed, and does all of it arrive?"
    let changes = [
        Change(
            .design,
            "The body is the same parts: the operation has a stream of them in its request, the "
                + "session asks for the stream through its delegate, and a request is encoded "
                + "first, in memory or into a file, on another queue.",
            source:
                "a streamed upload asks for its stream (UM-05, HM-07); forms are encoded before "
                + "they are sent (AL-28)")
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
        manager.post(
            "post", parameters: ["name": "value"],
            constructingBodyWith: { form in
                form.appendPart(
                    fileData: Data("from memory".utf8), name: "bytes", fileName: "bytes.txt",
                    mimeType: "text/plain")
                try? form.appendPart(fileURL: file, name: "file")
            }, progress: nil
        ) { _, object in
            stage.outcome("form", (object as? [String: Any])?["form"])
            stage.outcome("files", (object as? [String: Any])?["files"])
        } failure: { _, error in
            stage.outcome("form", error)
        }
        stage.ends(after: 2)
    }

    func requestEra(_ stage: Stage) throws {
        let file = stage.file("note.txt")
        try Data("from a file".utf8).write(to: file)
        SessionManager.default.upload(
            multipartFormData: { form in
                form.append(Data("value".utf8), withName: "name")
                form.append(
                    Data("from memory".utf8), withName: "bytes", fileName: "bytes.txt",
                    mimeType: "text/plain")
                form.append(file, withName: "file")
            }, to: stage.url("/post")
        ) { encoded in
            guard case .success(let request, _, _) = encoded else {
                return stage.outcome("form", "not encoded")
            }
            request.validate().responseJSON { response in
                let json = response.value as? [String: Any]
                stage.outcome("form", response.error ?? json?["form"])
                stage.outcome("files", json?["files"])
            }
        }
        stage.ends(after: 2)
    }
}
