import Foundation
import OperationNetworking

/// The file that a form is written to.
enum FormFile {
    private typealias Reason = AFError.MultipartEncodingFailureReason

    /// Makes the file and gives a sink for its bytes. After an error the file is gone.
    static func write(to url: URL, _ body: (FormPart.Sink) throws -> Void) throws {
        // As in the original, a path that is taken comes before a URL that is none of a file.
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
