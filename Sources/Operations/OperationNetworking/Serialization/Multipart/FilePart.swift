import CLinux
package import Foundation

/// A file, with its length and time when it was appended.
package struct FilePart: Sendable {
    package let url: URL
    private let appended: Facts

    /// In bytes.
    package var length: Int64 { appended.size }

    /// - Throws: `MultipartError` with AFNetworking's reasons, or if it is no regular file with a size.
    package init(_ url: URL) throws(MultipartError) {
        guard url.isFileURL else {
            throw MultipartError(.notFileURL, "Expected URL to be a file URL")
        }
        let status = cfile_status_at(url.path)
        // A C function would read the path only up to a NUL.
        guard !url.path.utf8.contains(0), status.failure == 0 else {
            throw MultipartError(.fileNotReachable, "File URL not reachable.")
        }
        guard status.is_regular != 0 else {
            throw MultipartError(.notRegularFile, "Not a regular file: \(url.path)")
        }
        guard status.size > 0 || !Self.hasBytes(url.path) else {
            throw MultipartError(.notRegularFile, "A file with bytes and no size: \(url.path)")
        }
        self.url = url
        appended = Facts(status)
    }

    /// Whether a file has bytes, even if its size is 0, as in `/proc`.
    package static func hasBytes(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var byte: UInt8 = 0
        return read(descriptor, &byte, 1) > 0
    }

    /// A descriptor for reading; the caller closes it.
    fileprivate func descriptor() throws(MultipartError) -> Int32 {
        // O_NONBLOCK: the file may have been replaced by a pipe, and opening that would block.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let number = errno
            throw MultipartError(
                .fileUnreadable, "Cannot open \(url.path): \(String(cString: strerror(number)))",
                errno: number)
        }
        return descriptor
    }

    /// - Throws: if the file has changed since it was appended.
    fileprivate func check(_ descriptor: Int32) throws(MultipartError) {
        let status = cfile_status_of(descriptor)
        guard status.failure == 0 else { throw unreadable(status.failure) }
        let now = Facts(status)
        if status.links == 0 {
            throw changed("it was removed")
        }
        if now.size != appended.size || status.is_regular == 0 {
            throw changed("it had \(appended.size) bytes and has \(now.size)")
        }
        if now != appended {
            throw changed("it was written to")
        }
    }

    fileprivate func unreadable(_ number: Int32) -> MultipartError {
        MultipartError(
            .fileUnreadable, "Cannot read \(url.path): \(String(cString: strerror(number)))",
            errno: number)
    }

    fileprivate func changed(_ what: String) -> MultipartError {
        MultipartError(.fileChanged, "The file \(url.path) changed after it was appended: \(what).")
    }

    private struct Facts: Equatable, Sendable {
        let size: Int64
        let seconds: Int64
        let nanoseconds: Int64

        init(_ status: cfile_status) {
            size = status.size
            seconds = status.modified_seconds
            nanoseconds = status.modified_nanoseconds
        }
    }
}

/// Reads a file part, and checks at its start and end that the file is as it was when it was
/// appended.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: nowhere.
package final class FileSource: PartSource {
    private let file: FilePart
    private var descriptor: Int32
    private var position: Int64 = 0

    package init(_ file: FilePart) throws(MultipartError) {
        self.file = file
        descriptor = try file.descriptor()
        do {
            try file.check(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        finish()
    }

    package let isReady = true

    package func read(
        into buffer: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) throws(MultipartError) -> PartPortion {
        let missing = Int(min(Int64(buffer.count), file.length - position))
        guard missing > 0 else {
            try file.check(descriptor)
            return .end
        }
        var count = pread(descriptor, buffer.baseAddress, missing, off_t(position))
        while count < 0 && errno == EINTR {
            count = pread(descriptor, buffer.baseAddress, missing, off_t(position))
        }
        if count < 0 { throw file.unreadable(errno) }
        if count == 0 {
            throw file.changed("it ended after \(position) of \(file.length) bytes")
        }
        position += Int64(count)
        return .bytes(count)
    }

    package func finish() {
        if descriptor >= 0 {
            close(descriptor)
        }
        descriptor = -1
    }
}
