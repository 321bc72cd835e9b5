// Awaited calls at the top level of a program: each must be the one that waits, in both language modes, though the
// same names without `await` send and go on.
import Foundation
import FoundationNetworking
import LoopbackServer
import OperationNetworking
import SessionEra

let server = LoopbackServer(routes: .httpbin)
try server.start()
let file = FileManager.default.temporaryDirectory.appending(path: "awaited-\(UUID().uuidString)")
defer { try? FileManager.default.removeItem(at: file) }

/// Ends the program where an answer is not there.
func check(_ isTrue: Bool, _ what: String) {
    if isTrue { return }
    print("not awaited: \(what)")
    exit(1)
}

let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
let got = try await manager.get("get", parameters: ["foo": "bar"])
check(((got as? [String: Any])?["args"] as? [String: Any])?["foo"] as? String == "bar", "get")
let head = try await manager.head("get")
check(head?.statusCode == 200, "head")
let posted = try await manager.post("post", parameters: ["a": 1])
check(posted is [String: Any], "post")
let form = try await manager.post("post") { $0.appendPart(formData: Data("1".utf8), name: "a") }
check(form is [String: Any], "post with a form")
let put = try await manager.put("put")
check(put is [String: Any], "put")
let patched = try await manager.patch("patch")
check(patched is [String: Any], "patch")
let deleted = try await manager.delete("delete")
check(deleted is [String: Any], "delete")
let downloaded = try await manager.download("bytes/1000?seed=3", to: file)
check(downloaded.length == 1000, "download")
try FileManager.default.removeItem(at: file)
let again = try await manager.download(URLRequest(url: server.url("/bytes/1000?seed=3")), to: file)
check(again.length == 1000, "download of a request")

let sessions = HTTPSessionManager(baseURL: server.url("/"))
let sessionGot = try await sessions.get("get", parameters: ["foo": "bar"])
check(sessionGot is [String: Any], "get of a session")
let sessionHead = try await sessions.head("get")
check(sessionHead?.statusCode == 200, "head of a session")
let sessionPosted = try await sessions.post("post")
check(sessionPosted is [String: Any], "post of a session")
let sessionForm = try await sessions.post("post") {
    $0.appendPart(formData: Data("1".utf8), name: "a")
}
check(sessionForm is [String: Any], "post of a session with a form")
let sessionPut = try await sessions.put("put")
check(sessionPut is [String: Any], "put of a session")
let sessionPatched = try await sessions.patch("patch")
check(sessionPatched is [String: Any], "patch of a session")
let sessionDeleted = try await sessions.delete("delete")
check(sessionDeleted is [String: Any], "delete of a session")

// The calls that do not wait have a block, or a nil in its place.
manager.get("get", success: nil)
manager.get("get", failure: nil)
manager.get("get") { _, _ in
} failure: { _, _ in
}
sessions.get("get", progress: nil)
sessions.get("get", success: nil, failure: nil)
manager.waitUntilAllOperationsAreFinished()
print("all awaited")
