import Foundation
import FoundationNetworking
import OperationNetworking

func signInThenLoad(
    _ base: URL, _ report: @escaping @Sendable (String) -> Void
) -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    manager.maxConcurrentOperationCount = 1
    manager.completesInOrder = true
    manager.finishesAfterSerialization = true
    let signIn = manager.get("token") { _, _ in report("signed in") }
    // Depends on the first, and finds its object and its error when it starts.
    let check = BlockOperation { [weak signIn] in
        let token = signIn?.responseObject as? [String: String]
        report(token?["token"] ?? "no token: \(signIn?.error.map { "\($0)" } ?? "")")
    }
    signIn.map(check.addDependency)
    manager.operationQueue.addOperation(check)
    manager.get("news") { _, _ in report("news") }
    // snippet: end
    return manager
}
