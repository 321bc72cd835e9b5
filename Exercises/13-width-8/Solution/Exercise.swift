import Foundation
import Lessons

/// Exercise 13, solved: one after the other. More threads would not be useless, they would be wrong.
final class Exercise: WidthExercise {
    private let queue = OperationQueue()

    init() {
        queue.maxConcurrentOperationCount = 1
    }

    func deliver(_ piece: String, to block: @escaping @Sendable (String) -> Void) {
        queue.addOperation { block(piece) }
    }
}
