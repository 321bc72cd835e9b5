import Foundation
import FoundationNetworking
import OperationNetworking
import RequestEra
import SessionEra

/// The request before the measurement: one GET of JSON, in the column's era.
///
/// The first request of a process creates tables, threads and sockets, which takes several times as
/// long as most scenarios, so it is not measured.
enum FirstUse {
    /// - Parameter then: called on the main thread, also after a failure.
    static func spend(
        _ column: Column, at url: URL, then: @escaping @Sendable @MainActor () -> Void
    ) {
        let end: @Sendable (Any?) -> Void = { object in
            _ = OutcomeText.text(of: object)
            // After the block of this request.
            DispatchQueue.main.async(execute: then)
        }
        switch column {
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
        case .request:
            SessionManager.default.request(url.appendingPathComponent("get")).responseJSON {
                end($0.value)
            }
        case .foundation:
            URLSession.shared.dataTask(with: url.appendingPathComponent("get")) { data, _, _ in
                end(data.flatMap { try? JSONSerialization.jsonObject(with: $0) })
            }.resume()
        }
    }
}
