import Dispatch
import Foundation

/// The time that this process has used, at one moment.
struct ProcessUsage: Sendable {
    private let clock: ContinuousClock.Instant
    private let processor: Double

    /// Now.
    init() {
        clock = .now
        processor = Double(Foundation.clock()) * 1_000 / Double(CLOCKS_PER_SEC)
    }

    /// The wall time since an earlier moment, in milliseconds.
    func wall(since start: ProcessUsage) -> Double {
        (clock - start.clock) / .milliseconds(1)
    }

    /// The processor time of all threads since an earlier moment, in milliseconds.
    func processor(since start: ProcessUsage) -> Double {
        processor - start.processor
    }

    /// The clock that recordings use, which is the same in all processes.
    static var monotonicNanoseconds: UInt64 {
        DispatchTime.now().uptimeNanoseconds
    }

    /// The number of threads now; 0 where it is unknown.
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
}
