import Foundation
import LoopbackServer
import OperationNetworking

// Its path /post, as httpbin's, sends back what it received.
let server = LoopbackServer(routes: .served)
try server.start()
let file = FileManager.default.temporaryDirectory.appendingPathComponent("diary.txt")
try Data("It rained.".utf8).write(to: file)

let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
let answer = try await manager.post("post", parameters: ["title": "Holiday"]) { form in
    // A file that cannot be read fails the request, so the error here may be ignored.
    try? form.appendPart(fileURL: file, name: "diary")
    // With a name and a type of your own, in place of the file's.
    try? form.appendPart(
        fileURL: file, name: "copy", fileName: "copy.md", mimeType: "text/markdown")
    form.appendPart(
        fileData: Data("Sun.".utf8), name: "note", fileName: "note.txt", mimeType: "text/plain")
}
let parts = answer as? [String: Any]
print("title:", (parts?["form"] as? [String: String])?["title"] ?? "none")
let files = parts?["files"] as? [String: String]
print("diary:", files?["diary"] ?? "none")
print("copy:", files?["copy"] ?? "none")
print("note:", files?["note"] ?? "none")
