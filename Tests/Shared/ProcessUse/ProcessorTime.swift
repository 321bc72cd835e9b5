import CoreFoundation
import Foundation

/// How long the calling thread has worked.
package enum ProcessorTime {
    /// In nanoseconds.
    package static var ofThisThread: Int {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
