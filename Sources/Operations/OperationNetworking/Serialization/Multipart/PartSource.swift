import CLinux
import CurlConnection
package import Foundation
import Locking

/// The bytes of one phase of a part, read in order by one thread.
package protocol PartSource: AnyObject {
    /// Whether `read` does not have to wait.
    var isReady: Bool { get }

    /// Reads the next bytes. Not called after an error.
    ///
    /// - Parameter mayWait: whether the call may block until there are bytes; otherwise it returns `notReady`.
    func read(
        into buffer: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) throws(MultipartError) -> PartPortion

    /// Closes what it reads; may be called again.
    func finish()
}

/// The result of one read.
package enum PartPortion: Equatable {
    case bytes(Int)
    /// No bytes yet.
    case notReady
    case end
}

/// Bytes in memory.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: nowhere.
final class DataSource: PartSource {
    private let bytes: Data
    private var position: Int

    init(_ bytes: Data) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    let isReady = true

    func read(
        into buffer: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) throws(MultipartError) -> PartPortion {
        let count = min(buffer.count, bytes.endIndex - position)
        guard count > 0 else { return .end }
        bytes.copyBytes(to: buffer, from: position..<position + count)
        position += count
        return .bytes(count)
    }

    func finish() {}
}

/// A caller's stream, and its length as the caller declares it.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the stream. Calls out: nowhere; `StreamSource` reads the stream.
final class StreamPart: Sendable {
    let length: Int64
    /// Nil once the first reader has taken it.
    private let stream: Locked<InputStream?>
    /// Whether it reads a file, so that its calls may block.
    let mayBeSlow: Bool

    init(_ stream: InputStream, length: Int64) {
        mayBeSlow = stream.mayBeSlow
        self.stream = Locked(stream)
        self.length = length
    }

    /// Whether a reader has taken the stream.
    var isSpent: Bool { stream.withLock { $0 == nil } }

    /// Whether its calls may wait for another process. Calls `stat`, which may block.
    var mayWait: Bool { stream.withLock { $0 }?.mayWait == true }

    static var spent: MultipartError {
        MultipartError(
            .streamSpent, "The body has a part from a stream, which can be sent only once.")
    }

    fileprivate func take() throws(MultipartError) -> InputStream {
        guard let stream = stream.withLock({ $0.take() }) else { throw Self.spent }
        return stream
    }
}

/// Reads a stream part, and checks that it has exactly the declared length.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: the caller's stream, on that thread. A form with a stream of a file,
/// which may block, is not read on the network thread.
final class StreamSource: PartSource {
    private let stream: InputStream
    private let length: Int64
    /// Whether reading one more byte could block for ever.
    private let isPipe: Bool
    private var position: Int64 = 0

    init(_ part: StreamPart) throws(MultipartError) {
        stream = try part.take()
        length = part.length
        isPipe = part.mayBeSlow && stream.mayWait
        if stream.streamStatus == .notOpen { stream.openHere() }
    }

    deinit {
        finish()
    }

    var isReady: Bool {
        switch stream.streamStatus {
        case .atEnd, .closed, .error: true
        default: stream.hasBytesAvailable || isMemory
        }
    }

    func read(
        into buffer: UnsafeMutableRawBufferPointer, mayWait: Bool
    ) throws(MultipartError) -> PartPortion {
        let missing = min(Int64(buffer.count), length - position)
        if missing == 0 {
            // A stream without further bytes is complete, even if it is not at its end.
            guard !isPipe, isReady, try take(1, into: nil) > 0 else { return .end }
            throw tooLong
        }
        // A pipe reports that it is ready even if a read would block.
        guard mayWait || !isPipe && isReady else { return .notReady }
        // A pipe is not read again, so one more byte is requested now.
        let wanted = isPipe && Int64(buffer.count) > missing ? missing + 1 : missing
        let count = try take(Int(wanted), into: buffer.bindMemory(to: UInt8.self).baseAddress)
        guard count <= missing else { throw tooLong }
        guard count > 0 else {
            throw MultipartError(
                .streamLengthDiffers,
                "A stream part ended after \(position) of the \(length) bytes declared.")
        }
        position += Int64(count)
        return .bytes(count)
    }

    func finish() {
        if stream.streamStatus != .closed {
            stream.close()
        }
    }

    private var tooLong: MultipartError {
        MultipartError(
            .streamLengthDiffers, "A stream part had more than the \(length) bytes declared.")
    }

    /// Without a buffer the bytes are discarded.
    private func take(
        _ count: Int, into buffer: UnsafeMutablePointer<UInt8>?
    ) throws(MultipartError) -> Int {
        if stream.streamStatus == .atEnd || stream.streamStatus == .closed { return 0 }
        var dropped: UInt8 = 0
        let result =
            buffer.map { stream.read($0, maxLength: count) }
            ?? stream.read(&dropped, maxLength: 1)
        guard result >= 0, stream.streamStatus != .error else {
            // `streamError` crashes if there is none.
            let error = stream.streamStatus == .error ? stream.streamError : nil
            throw MultipartError(.streamFailed, "A stream part failed.", underlying: error)
        }
        return result
    }

    /// Foundation's stream of empty data reports no bytes, but can be read.
    private var isMemory: Bool {
        type(of: stream) == InputStream.self
            && stream.property(forKey: .fileCurrentOffsetKey) == nil
    }
}

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
        try file.check(descriptor)
    }

    /// Called also where the initializer throws.
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
