import CoreFoundation
import Foundation
import Lessons

/// Exercise 5. A timer for a loop that may run in any of its common modes.
///
/// It does not fire while the loop runs in another mode than the default one. Make it fire.
struct Exercise: ModeExercise {
    init() {}

    func add(_ timer: CFRunLoopTimer, to loop: CFRunLoop) {
        CFRunLoopAddTimer(loop, timer, kCFRunLoopDefaultMode)
    }
}
