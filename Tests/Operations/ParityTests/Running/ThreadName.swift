import Dispatch
import Foundation
import OperationNetworking

/// The name the recordings give to the thread or queue that runs.
enum ThreadName {
    private static let label = DispatchSpecificKey<String>()

    /// Makes a queue known by its name; the main queue is `main`.
    static func know(_ queue: DispatchQueue, as name: String) {
        queue.setSpecific(key: label, value: name)
    }

    static var current: String {
        if let name = DispatchQueue.getSpecific(key: label) { return name }
        if NetworkThread.shared.isCurrent { return Thread.current.name ?? "a thread without name" }
        return OperationQueue.current == nil ? "another thread" : "opqueue"
    }
}
