import Foundation

/// The call by which a download's bytes reach the disk; tests put one in its place that refuses, or waits. It
/// returns what the system's does, with `errno` after a failure.
struct DiskCalls: Sendable {
    var fsync: @Sendable (Int32) -> Int32 = { Foundation.fsync($0) }
}
