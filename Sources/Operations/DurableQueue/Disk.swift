import Foundation

/// The calls by which a durable queue's bytes reach the disk. Tests put a disk in their place that refuses, or that
/// knows what a power cut would leave.
struct Disk: Sendable {
    /// The system's, with `errno` after a failure.
    var pwrite: @Sendable (Int32, UnsafeRawBufferPointer, off_t) -> Int = {
        Foundation.pwrite($0, $1.baseAddress, $1.count, $2)
    }
    /// The system's, with `errno` after a failure.
    var fsync: @Sendable (Int32) -> Int32 = { Foundation.fsync($0) }
    /// The name of SQLite's way to the disk; nil is its own.
    var fileSystem: String?

    /// Writes all bytes.
    ///
    /// - Parameter path: for the error.
    func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int64, _ path: String) throws {
        var done = 0
        while done < bytes.count {
            let step = bytes.withUnsafeBytes {
                pwrite(
                    descriptor, UnsafeRawBufferPointer(rebasing: $0[done...]),
                    off_t(offset) + off_t(done))
            }
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { throw DurableQueueError.disk("write", path) }
            done += step
        }
    }

    /// Brings a file through to the disk.
    func sync(_ descriptor: Int32, _ path: String) throws {
        guard fsync(descriptor) == 0 else { throw DurableQueueError.disk("sync", path) }
    }

    /// Brings the names in a folder through to the disk.
    func syncFolder(_ path: String) throws {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw DurableQueueError.disk("open", path) }
        defer { close(folder) }
        try sync(folder, path)
    }
}
