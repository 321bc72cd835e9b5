import Foundation
import OperationNetworking
import SessionEra

/// What a process does before the clock starts: one get with a JSON answer, as its era does it.
///
/// A library's first request costs tables, threads and sockets that no later one does; several
/// times what most scenarios take. What is compared is what comes after it.
enum FirstUse {
    /// - Parameter then: called on main, also where the get has failed.
    static func spend(_ era: Era, at url: URL, then: @escaping @Sendable @MainActor () -> Void) {
        let end: @Sendable (Any?) -> Void = { answer in
            _ = OutcomeText.text(of: answer)
            // Not inside the block of this get.
            DispatchQueue.main.async(execute: then)
        }
        switch era {
        case .connection:
            let manager = HTTPRequestOperationManager(baseURL: url)
            manager.get("get") { _, object in
                end(object)
            } failure: { _, _ in
                end(nil)
            }
        case .session:
            let manager = HTTPSessionManager(baseURL: url)
            manager.get("get", progress: nil) { _, object in
                end(object)
                manager.invalidateSessionCancelingTasks(false, resetSession: false)
            } failure: { _, _ in
                end(nil)
                manager.invalidateSessionCancelingTasks(false, resetSession: false)
            }
        }
    }
}
