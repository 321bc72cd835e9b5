import Foundation

/// What this process has used.
struct ProcessUsage: Sendable {
    private let clock: ContinuousClock.Instant
    private let processor: Double

    /// Now.
    init() {
        clock = .now
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        processor = Self.milliseconds(usage.ru_utime) + Self.milliseconds(usage.ru_stime)
    }

    /// Milliseconds on the clock since an earlier moment.
    func wall(since start: ProcessUsage) -> Double {
        (clock - start.clock) / .milliseconds(1)
    }

    /// Milliseconds of processor time since an earlier moment, of all threads.
    func processor(since start: ProcessUsage) -> Double {
        processor - start.processor
    }

    /// The clock of recordings, which all processes share.
    static var monotonicNanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// The threads now; 0 where the system does not say.
    static var threads: Int {
        guard let directory = opendir("/proc/self/task") else { return 0 }
        defer { closedir(directory) }
        var count = 0
        while let entry = readdir(directory) {
            // All but "." and "..".
            if entry.pointee.d_name.0 != UInt8(ascii: ".") { count += 1 }
        }
        return count
    }

    private static func milliseconds(_ time: timeval) -> Double {
        Double(time.tv_sec) * 1_000 + Double(time.tv_usec) / 1_000
    }
}
