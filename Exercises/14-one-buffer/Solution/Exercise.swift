import Foundation
import Lessons

/// Exercise 14, solved: a table of what belongs to each task, by the task's number.
final class Exercise: RoutingExercise, @unchecked Sendable {
    // @unchecked because the table is changed under the lock.
    private let lock = NSLock()
    private var bodies: [Int: String] = [:]

    func received(_ piece: String, task: Int) {
        lock.withLock { bodies[task, default: ""] += piece }
    }

    func ended(task: Int) -> String {
        lock.withLock { bodies.removeValue(forKey: task) ?? "" }
    }
}
