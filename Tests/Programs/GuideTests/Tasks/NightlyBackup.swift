import Foundation
import OperationNetworking

func nightlyBackup(
    _ parts: [URLConnectionOperation], with manager: HTTPRequestOperationManager
) -> [String] {
    // snippet: begin
    manager.setSuspended(true, group: "backup")
    for part in parts {
        part.queuePriority = .veryLow
        manager.enqueue(part, group: "backup")
    }
    // An operation held back for so many seconds counts as one of the next higher priority.
    manager.priorityAgeingInterval = 60
    // While there is no network nothing is sent, and nothing fails.
    manager.holdsWhileOffline = true
    let reasons = manager.snapshot().map { held in
        held.reason.map { "\($0)" } ?? "runs"
    }
    // When the night comes:
    manager.setSuspended(false, group: "backup")
    // snippet: end
    return reasons
}
