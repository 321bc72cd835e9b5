public import Foundation
import FoundationNetworking
import HTTPSemantics

/// Collects parts, and sets them as the body of a request.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: nowhere.
final class StreamingMultipartFormData: MultipartFormData {
    private var parts: [HTTPBodyPart] = []
    private var pacing = MultipartPacing.unlimited
    /// The error of the first refused part.
    private var refusal: (any Error)?

    // MARK: Parts

    func appendPart(fileURL: URL, name: String) throws {
        try appendPart(
            fileURL: fileURL, name: name, fileName: fileURL.lastPathComponent,
            mimeType: MIMETypes.system.type(ofExtension: fileURL.pathExtension))
    }

    func appendPart(fileURL: URL, name: String, fileName: String, mimeType: String) throws {
        do {
            let file = try FilePart(fileURL)
            let headers = try PartHeaders(name: name, fileName: fileName, mimeType: mimeType)
            parts.append(HTTPBodyPart(headers: headers, body: .file(file)))
        } catch {
            // A form without the file must not be sent if the caller ignores the error.
            refusal = refusal ?? error
            throw error
        }
    }

    func appendPart(
        inputStream: InputStream, name: String, fileName: String, length: Int64, mimeType: String
    ) {
        append(.stream(StreamPart(inputStream, length: length))) { () throws(MultipartError) in
            guard length >= 0 else {
                throw MultipartError(
                    .refusedLength, "The stream part \"\(name)\" has the length \(length).")
            }
            return try PartHeaders(name: name, fileName: fileName, mimeType: mimeType)
        }
    }

    func appendPart(fileData: Data, name: String, fileName: String, mimeType: String) {
        append(.data(fileData)) { () throws(MultipartError) in
            try PartHeaders(name: name, fileName: fileName, mimeType: mimeType)
        }
    }

    func appendPart(formData: Data, name: String) {
        append(.data(formData)) { () throws(MultipartError) in try PartHeaders(name: name) }
    }

    func appendPart(headers: [String: String]?, body: Data) {
        append(.data(body)) { () throws(MultipartError) in try PartHeaders(headers ?? [:]) }
    }

    func throttleBandwidth(packetSize: Int, delay: TimeInterval) {
        pacing = MultipartPacing(packetSize: packetSize, delay: delay)
    }

    private func append(
        _ body: PartBody, headers: () throws(MultipartError) -> PartHeaders
    ) {
        do {
            parts.append(HTTPBodyPart(headers: try headers(), body: body))
        } catch {
            refusal = refusal ?? error
        }
    }

    // MARK: The request

    /// The request with the parts as its body; without parts, the request itself.
    ///
    /// - Throws: `MultipartError` if a part was refused.
    func request(
        from request: URLRequest, boundaries: () -> MultipartBoundary
    ) throws -> URLRequest {
        if let refusal { throw refusal }
        guard !parts.isEmpty else { return request }
        var boundary = boundaries()
        while parts.contains(where: { $0.contains(boundary) }) {
            boundary = boundaries()
        }
        let stream = try MultipartBodyStream(parts, boundary: boundary, pacing: pacing)
        var result = request
        result.httpBodyStream = stream
        result.setValue(
            "multipart/form-data; boundary=\(boundary.text)", forHTTPHeaderField: "Content-Type")
        result.setValue(String(stream.contentLength), forHTTPHeaderField: "Content-Length")
        return result
    }
}

/// Collects the parts of a `multipart/form-data` body (RFC 7578).
///
/// Names and file names are encoded in UTF-8. In them `"`, CR and LF become `%22`, `%0D` and `%0A`, as in browsers. A
/// part is refused for a header field with a control character (RFC 9110 section 5.5), for a field name that is no
/// token, and for a negative length. `multipartFormRequest` throws the first such error as a `MultipartError`.
public protocol MultipartFormData: AnyObject {
    /// Appends a file, with its last path component as name, and the type of its extension.
    ///
    /// The file is read while the request is sent. If it was changed or removed since, or cannot be read, the request
    /// fails.
    ///
    /// - Throws: `MultipartError` if the URL is not a file's or there is no regular file. `multipartFormRequest`
    ///   throws it too, if the caller ignores it.
    func appendPart(fileURL: URL, name: String) throws

    /// Appends a file under another name and type; everything else is as for
    /// `appendPart(fileURL:name:)`.
    func appendPart(fileURL: URL, name: String, fileName: String, mimeType: String) throws

    /// Appends the bytes of a stream, which can be sent only once.
    ///
    /// - Parameter length: the number of bytes of the stream. If it has fewer or more, the request fails.
    func appendPart(
        inputStream: InputStream, name: String, fileName: String, length: Int64, mimeType: String)

    /// Appends bytes as a file.
    func appendPart(fileData: Data, name: String, fileName: String, mimeType: String)

    /// Appends bytes as a field of the form.
    func appendPart(formData: Data, name: String)

    /// Appends a part with the caller's header fields.
    ///
    /// Content-Disposition comes first, Content-Type next, the others sorted by name.
    func appendPart(headers: [String: String]?, body: Data)

    /// Limits the speed of the upload: a read returns at most `packetSize` bytes, and then the stream has no bytes
    /// until `delay` is over. No thread sleeps.
    ///
    /// - Parameters:
    ///   - packetSize: in bytes; less than 1 is no limit.
    ///   - delay: in seconds; a negative or infinite one, or NaN, is none.
    func throttleBandwidth(packetSize: Int, delay: TimeInterval)
}

/// Why a multipart body could not be made or read.
///
/// Its domain as an `NSError` is `NetworkingError.requestSerializationDomain`.
public struct MultipartError: Error, Sendable, CustomNSError {
    /// Why. The numbers never change.
    public enum Reason: Int, Sendable, CaseIterable {
        /// 1: a file part's URL, or the file to write to, is not a file URL.
        case notFileURL = 1
        /// 2: there is no file at the URL.
        case fileNotReachable = 2
        /// 3: the URL is that of a directory, a device, a pipe, or a file with bytes and no size, as in `/proc`.
        case notRegularFile = 3
        /// 4: a part's header field has a control character, or a name that is no token.
        case refusedHeader = 4
        /// 5: a part's length is negative, or the sum is more than 2^63 - 1 bytes.
        case refusedLength = 5
        /// 6: a parameter cannot be written in the serializer's `stringEncoding`.
        case unencodableParameter = 6
        /// 7: GET and HEAD have no multipart body.
        case methodWithoutBody = 7
        /// 8: a file is no longer as it was when it was appended.
        case fileChanged = 8
        /// 9: a file cannot be opened or read.
        case fileUnreadable = 9
        /// 10: a stream part had fewer or more bytes than declared.
        case streamLengthDiffers = 10
        /// 11: a stream part failed.
        case streamFailed = 11
        /// 12: the body must be sent again, and a stream part can be read only once.
        case streamSpent = 12
        /// 13: the request has no body stream to write to a file.
        case noBodyStream = 13
        /// 14: the file could not be written.
        case fileNotWritten = 14
    }

    /// What went wrong.
    public let reason: Reason
    /// A sentence that says what was wrong.
    public let failureReason: String
    /// The underlying error, such as the operating system's.
    public let underlying: (any Error)?

    package init(_ reason: Reason, _ failureReason: String, underlying: (any Error)? = nil) {
        self.reason = reason
        self.failureReason = failureReason.printable
        self.underlying = underlying
    }

    /// Makes the error with the operating system's `errno`.
    init(_ reason: Reason, _ failureReason: String, errno number: Int32) {
        self.init(
            reason, failureReason,
            underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(number)))
    }

    /// `NetworkingError.requestSerializationDomain`.
    public static var errorDomain: String { NetworkingError.requestSerializationDomain }

    /// A code of `NSURLErrorDomain`, as in AFNetworking: -1021 if the body cannot be sent completely, -3000 if a file
    /// cannot be written, -1000 otherwise.
    public var errorCode: Int {
        switch reason {
        case .fileChanged, .fileUnreadable, .streamLengthDiffers, .streamFailed, .streamSpent: -1021
        case .fileNotWritten: -3000
        default: -1000
        }
    }

    /// The failure reason, and the underlying error if there is one.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedFailureReasonErrorKey: failureReason]
        info[NSUnderlyingErrorKey] = underlying.map { $0 as NSError }
        return info
    }
}
