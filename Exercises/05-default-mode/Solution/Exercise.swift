import CoreFoundation
import Foundation
import Lessons

/// Exercise 5, solved: the common modes are a set of names, and the timer is in each of them.
struct Exercise: ModeExercise {
    init() {}

    func add(_ timer: CFRunLoopTimer, to loop: CFRunLoop) {
        CFRunLoopAddTimer(loop, timer, kCFRunLoopCommonModes)
    }
}
