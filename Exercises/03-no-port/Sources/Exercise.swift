import CoreFoundation
import Foundation
import Lessons

/// Exercise 3. The thread calls `keepAlive` and then runs its loop. The loop returns at once.
///
/// Make it wait, asleep, until it is stopped.
struct Exercise: LoopExercise {
    init() {}

    func keepAlive(_ loop: CFRunLoop) {
    }
}
