import Foundation
import OperationNetworking

enum FormFile {
    private typealias Reason = AFError.MultipartEncodingFailureReason

    /// A new folder for one form in the temporary folder. This user alone can enter it, and no other can have made it.
    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("alamofire.XXXXXX")
        var path = folder.path.utf8CString
        let isMade = path.withUnsafeMutableBufferPointer { path in
            path.baseAddress.flatMap { mkdtemp($0) } != nil
        }
        guard isMade else { throw failure(.outputStreamCreationFailed(for: folder)) }
        let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return URL(fileURLWithPath: name, isDirectory: true)
    }

    /// Where a form is written in its folder, in folders of the original's names.
    static func place(in folder: URL) throws -> URL {
        let inner = folder.appendingPathComponent("org.alamofire.manager/multipart.form.data")
        try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
        return inner.appendingPathComponent(UUID().uuidString)
    }

    /// Makes the file and gives a sink for its bytes. After an error the file is gone.
    static func write(to url: URL, _ body: (FormPart.Sink) throws -> Void) throws {
        // As in the original, a file that exists is reported before a URL that is no file URL.
        guard !FileManager.default.fileExists(atPath: url.path) else {
            throw failure(.outputStreamFileAlreadyExists(at: url))
        }
        guard url.isFileURL else { throw failure(.outputStreamURLInvalid(url: url)) }
        let descriptor = open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw failure(
                errno == EEXIST
                    ? .outputStreamFileAlreadyExists(at: url)
                    : .outputStreamCreationFailed(for: url)
            )
        }
        do {
            defer { close(descriptor) }
            try body { bytes in
                do {
                    try MultipartSpool.write(bytes, to: descriptor)
                } catch {
                    throw failure(.outputStreamWriteFailed(error: error))
                }
            }
        } catch {
            unlink(url.path)
            throw error
        }
    }

    private static func failure(_ reason: Reason) -> AFError {
        .multipartEncodingFailed(reason: reason)
    }
}
