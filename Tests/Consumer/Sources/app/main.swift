import Foundation
import LoopbackServer
import OperationNetworking

let server = LoopbackServer()
try server.start()
let manager = HTTPRequestOperationManager(baseURL: server.baseURL)
manager.get("get", parameters: ["foo": "bar"]) { _, object in
    let args = (object as? [String: Any])?["args"] as? [String: Any]
    print("args:", args?["foo"] ?? "nothing")
    exit(args?["foo"] as? String == "bar" ? 0 : 1)
} failure: { _, error in
    print(error)
    exit(1)
}
dispatchMain()
