public import Foundation

/// Collects the parts of a `multipart/form-data` body (RFC 7578).
///
/// Names and file names are written in UTF-8. In them `"`, CR and LF become `%22`, `%0D` and `%0A`,
/// as in browsers. A part is refused for a header field with a control character (RFC 9110 section
/// 5.5), for a field name that is no token, and for a negative length. The form keeps the first error
/// of all parts, and `multipartFormRequest` throws it as a `MultipartError`: a form that lacks a part
/// is not sent.
public protocol MultipartFormData: AnyObject {
    /// Appends a file; its name is the last path component, its type follows from the extension.
    ///
    /// The file is read while the request is sent. A file that was changed or removed since, or
    /// that cannot be read, fails the request (MP-9, MP-10).
    ///
    /// - Throws: `MultipartError`, if the URL is not a file's or there is no regular file. The form keeps the
    ///   first such error, and `multipartFormRequest` throws it also where the caller ignores it.
    func appendPart(fileURL: URL, name: String) throws

    /// Appends a file under another name and type; everything else is as for
    /// `appendPart(fileURL:name:)`.
    func appendPart(fileURL: URL, name: String, fileName: String, mimeType: String) throws

    /// Appends the bytes of a stream, which can be sent only once.
    ///
    /// A stream that has fewer or more bytes than declared fails the request (MP-11).
    ///
    /// - Parameter length: the number of bytes that the stream will give.
    func appendPart(
        inputStream: InputStream, name: String, fileName: String, length: Int64, mimeType: String)

    /// Appends bytes as a file.
    func appendPart(fileData: Data, name: String, fileName: String, mimeType: String)

    /// Appends bytes as a field of the form.
    func appendPart(formData: Data, name: String)

    /// Appends a part with the caller's header fields.
    ///
    /// Content-Disposition comes first, Content-Type next, the others sorted by name (MP-7).
    func appendPart(headers: [String: String]?, body: Data)

    /// Slows the upload down: a read returns at most `packetSize` bytes, and after it the stream
    /// has no bytes until `delay` has passed. No thread sleeps for that.
    ///
    /// - Parameters:
    ///   - packetSize: in bytes; less than 1 is no limit. Default: no limit.
    ///   - delay: in seconds; a negative, infinite or undefined delay is none. Default: none.
    func throttleBandwidth(packetSize: Int, delay: TimeInterval)
}
