public import Foundation

/// Collects the parts of a `multipart/form-data` body (RFC 7578).
///
/// Names and file names are written in UTF-8; in them `"`, CR and LF become `%22`, `%0D` and `%0A`,
/// as browsers write them. A part header with a control character (RFC 9110, 5.5), a header name
/// that is no token and a negative length are refused: the methods that do not throw remember the
/// first such part, and `multipartFormRequest` throws its `MultipartError`.
public protocol MultipartFormData: AnyObject {
    /// Appends a file; its name is the last path component, its type follows from the extension.
    ///
    /// The file is read while the request is sent. It must then still be as it is now: a file that
    /// was changed, removed or cannot be read fails the request. Source: MP-9, MP-10.
    ///
    /// - Throws: `MultipartError`, if the URL is not a file's or there is no regular file. A caller
    ///   who ignores it gets a request without the part.
    func appendPart(fileURL: URL, name: String) throws

    /// Appends a file under another name and type; otherwise as `appendPart(fileURL:name:)`.
    func appendPart(fileURL: URL, name: String, fileName: String, mimeType: String) throws

    /// Appends what a stream gives, which can be sent only once.
    ///
    /// A stream that gives fewer bytes than declared, or more, fails the request. Source: MP-11.
    ///
    /// - Parameter length: the number of bytes the stream will give.
    func appendPart(
        inputStream: InputStream, name: String, fileName: String, length: Int64, mimeType: String)

    /// Appends bytes as a file.
    func appendPart(fileData: Data, name: String, fileName: String, mimeType: String)

    /// Appends bytes as a field of the form.
    func appendPart(formData: Data, name: String)

    /// Appends a part with the caller's headers.
    ///
    /// Content-Disposition comes first, Content-Type next, the others by name. Source: MP-7.
    func appendPart(headers: [String: String]?, body: Data)

    /// Slows the upload down: no read gives more than `packetSize` bytes, and after each one the
    /// stream has no bytes until `delay` has passed. No thread sleeps for that.
    ///
    /// - Parameters:
    ///   - packetSize: in bytes; less than 1 is no limit. Default: no limit.
    ///   - delay: in seconds; a negative, infinite or undefined one is none. Default: none.
    func throttleBandwidth(packetSize: Int, delay: TimeInterval)
}
