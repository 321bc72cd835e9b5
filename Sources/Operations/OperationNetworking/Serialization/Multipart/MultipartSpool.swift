import CLinux
import CurlConnection
import Dispatch
import Foundation
import FoundationNetworking

/// Writes the body of a multipart request to a file, for servers that accept no streamed body
/// (MP-20).
package enum MultipartSpool {
    private static let blockSize = 65_536

    /// Returns the request without its body stream at once, and writes the file in the background.
    ///
    /// Content-Length and Content-Type stay. The file is complete or absent: it is written under
    /// another name in the same folder and then renamed. A throttle is ignored. If the stream can
    /// be read again, a copy of it is read, and the given request can still be sent.
    ///
    /// - Parameter completionHandler: called once, on the main queue, with nil or the error.
    static func request(
        from request: URLRequest, writingTo fileURL: URL,
        completionHandler: (@Sendable ((any Error)?) -> Void)?
    ) -> URLRequest {
        // A queue with a thread of its own, because callers can occupy all threads of Dispatch's
        // default pool.
        DispatchQueue(label: "MultipartSpool").async {
            let failure: (any Error)?
            do {
                try write(request, to: fileURL)
                failure = nil
            } catch {
                failure = error
            }
            guard let completionHandler else { return }
            DispatchQueue.main.async { completionHandler(failure) }
        }
        var result = request
        result.httpBodyStream = nil
        return result
    }

    private static func write(_ request: URLRequest, to fileURL: URL) throws {
        guard fileURL.isFileURL else {
            throw MultipartError(.notFileURL, "Expected URL to be a file URL")
        }
        guard let own = request.httpBodyStream else {
            throw MultipartError(.noBodyStream, "The request has no body stream.")
        }
        let stream =
            try (own as? MultipartBodyStream)?.unpacedCopy()
            ?? (own as? any ReplayableBody)?.freshCopy() ?? own
        if stream.streamStatus == .notOpen {
            stream.openHere()
        }
        defer { stream.close() }
        let there = cfile_status_at(fileURL.path)
        if there.failure == 0, there.is_regular == 0 {
            // A pipe or a device is written to; a file must not take its place.
            return try writeFile(at: fileURL.path, flags: O_WRONLY) { try copy(stream, to: $0) }
        }
        // A symbolic link stays a link; the file it points to is replaced.
        let place = fileURL.resolvingSymlinksInPath()
        let partial = place.deletingLastPathComponent().appendingPathComponent(
            ".multipart-" + String(UInt64.random(in: .min ... .max), radix: 16)
        ).path
        do {
            try writeFile(at: partial, flags: O_WRONLY | O_CREAT | O_EXCL) { descriptor in
                try copy(stream, to: descriptor)
                // A full disk may be reported only here.
                guard fsync(descriptor) == 0 else { throw notWritten(errno) }
            }
            guard rename(partial, place.path) == 0 else { throw notWritten(errno) }
        } catch {
            unlink(partial)
            throw error
        }
    }

    private static func writeFile(
        at path: String, flags: Int32, _ body: (Int32) throws -> Void
    ) throws {
        let descriptor = open(path, flags | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw notWritten(errno) }
        do {
            try body(descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        guard close(descriptor) == 0 else { throw notWritten(errno) }
    }

    /// Copies the whole stream, or throws.
    static func copy(_ stream: InputStream, to descriptor: Int32) throws {
        try withUnsafeTemporaryAllocation(byteCount: blockSize, alignment: 1) { block in
            guard let start = block.bindMemory(to: UInt8.self).baseAddress else { return }
            while true {
                let count = stream.read(start, maxLength: block.count)
                if count == 0 { return }
                guard count > 0 else {
                    // Foundation stops the process when a stream is asked for an error that it does
                    // not have.
                    let error = stream.streamStatus == .error ? stream.streamError : nil
                    throw error ?? MultipartError(.streamFailed, "The body stream failed.")
                }
                try write(UnsafeRawBufferPointer(rebasing: block[..<count]), to: descriptor)
            }
        }
    }

    /// Writes all bytes, or throws.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Foundation.write(descriptor, part.baseAddress, part.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                throw notWritten(count == 0 ? ENOSPC : errno)
            }
        }
    }

    private static func notWritten(_ number: Int32) -> MultipartError {
        MultipartError(
            .fileNotWritten,
            "The body could not be written to the file: \(String(cString: strerror(number)))",
            errno: number)
    }
}
