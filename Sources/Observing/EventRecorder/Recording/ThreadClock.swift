import CEvents
import Foundation

/// The processor time of a thread of this process. Any thread may read it.
package struct ThreadClock: Sendable {
    /// The text of a note with the processor time that a thread has used since its last such note. Its
    /// subject is the thread's number, its value are nanoseconds.
    package static let note = "processor time"

    private let thread: UInt32

    /// The current thread's.
    package init() {
        thread = cevents_thread()
    }

    /// Nil where the thread has ended, or where the kernel does not count.
    package var nanoseconds: Int64? {
        // "Time on a processor, time spent waiting for one, number of turns".
        let file = "/proc/self/task/\(thread)/schedstat"
        guard let bytes = FileManager.default.contents(atPath: file) else { return nil }
        return Int64(String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self))
    }

    /// Records the time used since an earlier reading.
    package func record(_ nanoseconds: Int64) {
        EventRecorder.instant(
            .note, subject: UInt64(thread), value: nanoseconds, text: EventText(Self.note))
    }
}
