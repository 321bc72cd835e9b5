import Foundation

/// The calls by which a durable queue's bytes reach the disk, and `fsync` a download's. Tests put a disk in their
/// place that refuses, or that knows what a power cut would leave.
///
/// Each returns what the system's call does, with `errno` after a failure.
struct DiskCalls: Sendable {
    var pwrite: @Sendable (Int32, UnsafeRawBufferPointer, off_t) -> Int = {
        Foundation.pwrite($0, $1.baseAddress, $1.count, $2)
    }
    var fsync: @Sendable (Int32) -> Int32 = { Foundation.fsync($0) }
}
