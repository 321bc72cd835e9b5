import Foundation
import LoopbackServer
import OperationNetworking

let server = LoopbackServer(routes: .served)
try server.start()
let file = FileManager.default.temporaryDirectory.appendingPathComponent("cookies.json")
try? FileManager.default.removeItem(at: file)

let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
// Answers the server's challenge: Basic, Digest, NTLM or Negotiate.
manager.credential = URLCredential(user: "ann", password: "secret", persistence: .none)
let login = try await manager.get("digest-auth/auth/ann/secret") as? [String: Any]
print("logged in as", login?["user"] ?? "no one")

// Cookies are kept and sent without this; with a file they are there after a restart.
let storage = try CookieStorage(file: file)
manager.configuration.cookieStorage = storage
_ = try await manager.get("cookies/set", parameters: ["language": "en"])
let answer = try await manager.get("cookies") as? [String: Any]
print("the server got", answer?["cookies"] as? [String: String] ?? [:])
try storage.flush()
