public import Foundation
import HTTPSemantics
import OperationNetworking

/// The parts of a form that is uploaded as `multipart/form-data`.
///
/// `encode()` and `writeEncodedData(to:)` throw the error of the first part that is refused; parts after
/// it are not looked at. Names and file names are escaped as browsers do.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: a part's stream, while the form is encoded.
open class MultipartFormData {
    /// The type of the body, with the boundary that the form had when it was first asked for.
    open lazy var contentType = "multipart/form-data; boundary=\(boundary)"

    /// The bytes of the parts' bodies, without headers and boundaries.
    public var contentLength: UInt64 {
        parts.reduce(0) { sum, part in
            let (result, isTooLarge) = sum.addingReportingOverflow(part.length)
            return isTooLarge ? .max : result
        }
    }

    /// The line between the parts: `alamofire.boundary.` and 16 hexadecimal digits.
    public var boundary: String

    private var parts: [FormPart] = []
    /// Why the first bad part was refused.
    private var refusal: (any Error)?

    /// A form without parts.
    public init() {
        boundary = FormPart.randomBoundary()
    }

    // MARK: - Parts

    /// Appends a field.
    open func append(_ data: Data, withName name: String) {
        append(.data(data), UInt64(data.count)) {
            try PartHeaders(name: name, fileName: nil, mimeType: nil)
        }
    }

    /// Appends a field with its type.
    open func append(_ data: Data, withName name: String, mimeType: String) {
        append(.data(data), UInt64(data.count)) {
            try PartHeaders(name: name, fileName: nil, mimeType: mimeType)
        }
    }

    /// Appends bytes as a file.
    open func append(_ data: Data, withName name: String, fileName: String, mimeType: String) {
        append(.data(data), UInt64(data.count)) {
            try PartHeaders(name: name, fileName: fileName, mimeType: mimeType)
        }
    }

    /// Appends a file under its own name, with the type of its extension.
    ///
    /// A name without an extension is refused.
    open func append(_ fileURL: URL, withName name: String) {
        let (fileName, fileExtension) = (fileURL.lastPathComponent, fileURL.pathExtension)
        guard !fileName.isEmpty, !fileExtension.isEmpty else {
            return refuse(
                AFError.multipartEncodingFailed(reason: .bodyPartFilenameInvalid(in: fileURL)))
        }
        append(
            fileURL, withName: name, fileName: fileName,
            mimeType: MIMETypes.system.type(ofExtension: fileExtension))
    }

    /// Appends a file. It is read when the form is encoded, and must not change until then.
    open func append(_ fileURL: URL, withName name: String, fileName: String, mimeType: String) {
        do {
            let file = try FormPart.file(at: fileURL)
            append(.file(file), UInt64(file.length)) {
                try PartHeaders(name: name, fileName: fileName, mimeType: mimeType)
            }
        } catch {
            refuse(error)
        }
    }

    /// Appends what a stream gives as a file.
    ///
    /// - Parameter length: in bytes; counts for `contentLength` only.
    open func append(
        _ stream: InputStream, withLength length: UInt64, name: String, fileName: String,
        mimeType: String
    ) {
        append(.stream(FormStream(stream)), length) {
            try PartHeaders(name: name, fileName: fileName, mimeType: mimeType)
        }
    }

    /// Appends what a stream gives, with these header fields.
    ///
    /// - Parameter length: in bytes; counts for `contentLength` only.
    open func append(_ stream: InputStream, withLength length: UInt64, headers: HTTPHeaders) {
        append(.stream(FormStream(stream)), length) { try PartHeaders(headers) }
    }

    private func append(
        _ body: FormPart.Body, _ length: UInt64, _ headers: () throws -> PartHeaders
    ) {
        do {
            parts.append(FormPart(headers: try headers().lines, length: length, body: body))
        } catch {
            refuse(error)
        }
    }

    private func refuse(_ error: any Error) {
        if refusal == nil { refusal = error }
    }

    // MARK: - Encoding

    /// Returns the whole body in memory.
    ///
    /// It may be called again, unless a part is a stream: a stream can be read once.
    ///
    /// - Throws: what was wrong with the first bad part; `AFError.multipartEncodingFailed` if a part
    ///   cannot be read to its end.
    open func encode() throws -> Data {
        var encoded = Data()
        try write { encoded.append(contentsOf: $0) }
        return encoded
    }

    /// Writes the whole body to a file that must not exist yet; only its owner can read it.
    ///
    /// - Throws: as `encode()`; `AFError.multipartEncodingFailed` if the file exists or cannot be
    ///   written. What was written of it is removed then.
    open func writeEncodedData(to fileURL: URL) throws {
        if let refusal { throw refusal }
        try FormFile.write(to: fileURL) { sink in try write(sink) }
    }

    private func write(_ sink: FormPart.Sink) throws {
        if let refusal { throw refusal }
        let line = try FormPart.boundary(boundary)
        for (index, part) in parts.enumerated() {
            try FormPart.give(line.opening(isFirst: index == 0) + part.headers, to: sink)
            try part.give(to: sink)
        }
        if !parts.isEmpty { try FormPart.give(line.closing, to: sink) }
    }
}
