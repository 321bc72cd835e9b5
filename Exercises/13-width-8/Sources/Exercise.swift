import Foundation
import Lessons

/// Exercise 13. Pieces of a body for a block that writes them to a file.
///
/// The queue is wide, to be fast, and the file is wrong. Make it right.
final class Exercise: WidthExercise {
    private let queue = OperationQueue()

    init() {
        queue.maxConcurrentOperationCount = 8
    }

    func deliver(_ piece: String, to block: @escaping @Sendable (String) -> Void) {
        queue.addOperation { block(piece) }
    }
}
