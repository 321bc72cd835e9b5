import Foundation
import FoundationNetworking
import HTTPSemantics

/// Collects parts and makes them the body of a request.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: nowhere.
final class StreamingMultipartFormData: MultipartFormData {
    private var parts: [HTTPBodyPart] = []
    private var pacing = MultipartPacing.unlimited
    /// Why the first refused part was refused.
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
            let headers = try PartHeaders(name: name, file: (fileName, mimeType))
            parts.append(HTTPBodyPart(headers: headers, body: .file(file)))
        } catch {
            // Who ignores the error must not send a form that lacks the file.
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
            return try PartHeaders(name: name, file: (fileName, mimeType))
        }
    }

    func appendPart(fileData: Data, name: String, fileName: String, mimeType: String) {
        append(.data(fileData)) { () throws(MultipartError) in
            try PartHeaders(name: name, file: (fileName, mimeType))
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

    /// The request with the parts as its body; without parts, the request as it is (MP-3, MP-4).
    ///
    /// - Throws: `MultipartError`, if a part was refused.
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
