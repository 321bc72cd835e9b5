import CLinux
import CurlConnection
import Dispatch
package import Foundation
import FoundationNetworking

/// Writes the body of a multipart request to a file, for servers that do not accept a streamed body.
package enum MultipartSpool {
    private static let blockSize = 65_536

    /// Returns the request without its body stream, and writes the file in the background.
    ///
    /// `Content-Length` and `Content-Type` are kept. The file is written under another name and renamed once it is
    /// complete; a pipe or a device is written to directly. A bandwidth limit is ignored. If the stream can be read
    /// again, a copy is read, and the given request can still be sent.
    ///
    /// - Parameter completionHandler: called once, on the main queue, with nil or the error.
    static func request(
        from request: URLRequest, writingTo fileURL: URL,
        completionHandler: (@Sendable ((any Error)?) -> Void)?
    ) -> URLRequest {
        // Not Dispatch's global queue, all of whose threads callers may occupy.
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
            try (own as? MultipartBodyStream)?.unthrottledCopy()
            ?? (own as? any ReplayableBody)?.freshCopy() ?? own
        if stream.streamStatus == .notOpen {
            stream.openHere()
        }
        defer { stream.close() }
        let existing = cfile_status_at(fileURL.path)
        if existing.failure == 0, existing.is_regular == 0 {
            // A pipe or a device is written to, and not replaced by a file.
            return try writeFile(at: fileURL.path, flags: O_WRONLY) { try copy(stream, to: $0) }
        }
        // The target of a symbolic link is replaced, not the link.
        let target = fileURL.resolvingSymlinksInPath()
        let partial = target.deletingLastPathComponent().appendingPathComponent(
            ".multipart-" + String(UInt64.random(in: .min ... .max), radix: 16)
        ).path
        do {
            try writeFile(at: partial, flags: O_WRONLY | O_CREAT | O_EXCL) { descriptor in
                try copy(stream, to: descriptor)
                // A full disk may be reported only by `fsync`.
                guard fsync(descriptor) == 0 else { throw notWritten(errno) }
            }
            guard rename(partial, target.path) == 0 else { throw notWritten(errno) }
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
                    // `streamError` crashes if there is none.
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

/// A body stream that can be sent again, as after a 401 or a 307, or by a copy of the operation.
package protocol ReplayableBody: InputStream {
    /// A new stream with the same bytes, not yet open.
    ///
    /// - Throws: why there cannot be one.
    func freshCopy() throws -> InputStream
}

extension URLRequest {
    /// The request with a new body stream, if its body can be sent again (CO-7).
    ///
    /// - Throws: why it cannot, if reading has begun.
    func withFreshBody() throws -> URLRequest {
        guard let body = httpBodyStream as? any ReplayableBody else { return self }
        var fresh = self
        do {
            fresh.httpBodyStream = try body.freshCopy()
        } catch  where body.streamStatus == .notOpen {
            // It was not read yet, and works once.
        }
        return fresh
    }
}
