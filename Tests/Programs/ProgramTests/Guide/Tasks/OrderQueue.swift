import DurableQueue
import Foundation
import FoundationNetworking
import OperationNetworking

func sendOrder(
    _ request: URLRequest, of customer: String, folder: URL,
    with manager: HTTPRequestOperationManager,
    report: @escaping @Sendable (DurableOutcome) -> Void
) async throws -> DurableQueue {
    // snippet: begin
    manager.holdsWhileOffline = true
    // What an earlier process left in the folder is sent too.
    let queue = try await DurableQueue(folder: folder, manager: manager) { entry, outcome in
        print(entry, outcome)
        report(outcome)
    }
    // From here on the request is on the disk.
    try await queue.add(
        request, orderedBy: customer, expiresAt: Date(timeIntervalSinceNow: 7 * 86_400))
    for entry in queue.entries { print(entry.attempts, entry.reason as Any) }
    // snippet: end
    return queue
}
