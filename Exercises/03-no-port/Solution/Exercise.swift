import CoreFoundation
import Foundation
import Lessons

/// Exercise 3, solved: a source that is never signalled, so that the loop has something to wait for.
struct Exercise: LoopExercise {
    init() {}

    func keepAlive(_ loop: CFRunLoop) {
        var context = CFRunLoopSourceContext()
        context.perform = { _ in }
        let port = CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context)
        CFRunLoopAddSource(loop, port, kCFRunLoopCommonModes)
    }
}
