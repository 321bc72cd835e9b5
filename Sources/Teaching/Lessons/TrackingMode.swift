import CoreFoundation
import EventRecorder
import Foundation

/// A run-loop mode, such as the main loop runs in while a list is scrolled.
struct TrackingMode {
    private let name = CFStringCreateWithCString(
        kCFAllocatorDefault, "tracking", CFStringBuiltInEncodings.UTF8.rawValue)

    func makeCommon(in loop: CFRunLoop?) {
        CFRunLoopAddCommonMode(loop, name)
    }

    /// Runs the current loop in the mode, until it is stopped.
    func run(atMost seconds: Double) {
        // Without anything in the mode the loop would return at once.
        let timer = CFRunLoopTimerCreateWithHandler(
            kCFAllocatorDefault, CFAbsoluteTimeGetCurrent() + 1_000, 0, 0, 0
        ) { _ in }
        CFRunLoopAddTimer(CFRunLoopGetCurrent(), timer, name)
        EventRecorder.instant(.runLoopMode, text: EventText("tracking"))
        CFRunLoopRunInMode(name, seconds, false)
        EventRecorder.instant(.runLoopMode, text: EventText("default"))
        CFRunLoopTimerInvalidate(timer)
    }
}
