import CEvents
import Foundation

/// The processor time of a thread of this process. Any thread may read it.
package struct ThreadClock: Sendable {
    /// The text of the event in which `record` notes processor time. The event's subject is the thread's
    /// number, and its value the nanoseconds that the thread has used between two readings.
    package static let note = "processor time"

    private let thread: UInt32

    /// Makes a clock of the current thread.
    package init() {
        thread = cevents_thread()
    }

    /// The processor time since the thread's start; nil if the thread has ended, or if the kernel does
    /// not count it.
    package var nanoseconds: Int64? {
        // Three numbers: nanoseconds on a processor, nanoseconds waiting for one, number of time slices.
        let file = "/proc/self/task/\(thread)/schedstat"
        guard let bytes = FileManager.default.contents(atPath: file) else { return nil }
        return Int64(String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }

    /// Records a difference of two readings of `nanoseconds`.
    package func record(_ used: Int64) {
        EventRecorder.instant(
            .note, subject: UInt64(thread), value: used, text: EventText(Self.note))
    }
}
