import Dispatch
import OperationNetworking
import TestSupport

/// Collects events from every thread in one order, and wakes who waits for one.
final class Recorder: Sendable {
    typealias Condition = @Sendable ([Event]) -> Bool

    private let seen = Watched<[Event]>([])

    var events: [Event] { seen.now }

    /// Adds an event with the name of this thread.
    func record(_ operation: String?, _ what: String) {
        let event = Event(operation: operation, what: what, thread: ThreadName.current)
        seen.change { $0.append(event) }
    }

    /// Waits until the condition holds for the events so far; false after `seconds`.
    func wait(seconds: Double, _ condition: @escaping Condition) async -> Bool {
        await seen.reaches(within: seconds, condition)
    }
}

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
