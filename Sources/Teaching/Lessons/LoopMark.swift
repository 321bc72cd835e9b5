import EventRecorder

/// What an experiment does to a run loop, as a note in the recording: the loop's own thread records its
/// sleep and its modes, and nothing of other threads.
package enum LoopMark: String, Sendable {
    case signal = "CFRunLoopSourceSignal"
    case signalAndWake = "CFRunLoopSourceSignal, CFRunLoopWakeUp"
    case stop = "CFRunLoopStop"
    /// The thread was found to have ended.
    case end = "CFRunLoopRun returned"
    /// The loop was run again and again; the note's value says how often.
    case again = "CFRunLoopRun, again"

    func record(_ value: Int64 = 0) {
        EventRecorder.instant(.note, value: value, text: EventText(rawValue))
    }
}
