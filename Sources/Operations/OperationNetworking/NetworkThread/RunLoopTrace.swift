import CoreFoundation
import EventRecorder
import Foundation

/// Shows a recording when a run loop sleeps, wakes and changes its mode.
///
/// It watches while something is recorded and takes itself away at the first moment after.
///
/// ## Concurrency
/// Call from: the run loop's thread. Lock: none.
enum RunLoopTrace {
    private static let key = "OperationNetworking.RunLoopTrace"

    /// Watches the current run loop, unless it does already.
    static func watchCurrent() {
        let memory = Thread.current.threadDictionary
        guard memory[key] == nil, EventRecorder.isRecording, let loop = CFRunLoopGetCurrent()
        else { return }
        memory[key] = true
        let moments: CFRunLoopActivity = [.entry, .beforeWaiting, .afterWaiting]
        let observer = CFRunLoopObserverCreateWithHandler(
            kCFAllocatorDefault, moments.rawValue, true, 0
        ) { observer, moment in
            if EventRecorder.isRecording {
                note(moment)
            } else {
                CFRunLoopObserverInvalidate(observer)
                Thread.current.threadDictionary[key] = nil
            }
        }
        CFRunLoopAddObserver(loop, observer, kCFRunLoopCommonModes)
    }

    private static func note(_ moment: CFRunLoopActivity) {
        switch moment {
        case .beforeWaiting: EventRecorder.begin(.runLoopSleep)
        case .afterWaiting: EventRecorder.end(.runLoopSleep)
        case .entry: EventRecorder.instant(.runLoopMode, text: currentMode)
        default: break
        }
    }

    private static var currentMode: EventText {
        RunLoop.current.currentMode.map { EventText($0.rawValue) } ?? .none
    }
}
