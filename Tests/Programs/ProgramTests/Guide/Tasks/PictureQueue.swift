import Foundation
import OperationNetworking

func enqueue(
    _ pictures: [URLConnectionOperation], _ order: URLConnectionOperation,
    in manager: OperationManager
) -> [String] {
    // snippet: begin
    manager.maximumOperationsPerOrigin = 8
    manager.setMaxConcurrentOperationCount(2, ofGroup: "pictures")
    for picture in pictures { manager.enqueue(picture, group: "pictures") }
    order.queuePriority = .high
    manager.enqueue(order)
    // What waits, and why: .groupLimit("pictures"), .width(4), .load(.connection) …
    let reasons = manager.snapshot().map { waiting in
        waiting.reason.map { "\($0)" } ?? "runs"
    }
    // snippet: end
    return reasons
}
