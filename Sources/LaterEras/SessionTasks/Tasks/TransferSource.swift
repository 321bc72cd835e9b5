import CLinux
import Foundation
import FoundationNetworking
import Locking
import OperationNetworking

/// What a task sends, so that a transfer can be repeated.
enum TransferSource: Sendable {
    case data(URLRequest)
    case file(URLRequest, URL)
    case bytes(URLRequest, Data)
    case stream(URLRequest)
    case download(URLRequest)

    var request: URLRequest {
        switch self {
        case .data(let request), .file(let request, _), .bytes(let request, _),
            .stream(let request), .download(let request):
            request
        }
    }

    var methodAndURL: String {
        "\(request.httpMethod ?? "GET") \(request.url?.absoluteString ?? "")"
    }

    /// Why such a task cannot run, or nil.
    var defect: URLError? {
        guard let url = request.url, url.scheme != nil else { return URLError(.badURL) }
        guard case .file(_, let file) = self else { return nil }
        return Self.defect(of: file)
    }

    /// The reason why a file cannot be sent. Foundation would report nothing before the time-out.
    private static func defect(of file: URL) -> URLError? {
        func error(_ code: URLError.Code, _ what: String) -> URLError {
            URLError(
                code,
                userInfo: [
                    NSLocalizedDescriptionKey: "\(file.path) cannot be uploaded: \(what).",
                    NSURLErrorFailingURLErrorKey: file, NSFilePathErrorKey: file.path,
                ])
        }
        let manager = FileManager.default
        var isDirectory: ObjCBool = false
        guard file.isFileURL, manager.fileExists(atPath: file.path, isDirectory: &isDirectory)
        else { return error(.fileDoesNotExist, "there is no such file") }
        if isDirectory.boolValue { return error(.fileIsDirectory, "it is a directory") }
        // A pipe or a device has no size, and would be sent as empty.
        let status = cfile_status_at(file.path)
        guard status.failure == 0, status.is_regular == 1 else {
            return error(.cannotOpenFile, "it is no regular file")
        }
        if status.size == 0, FilePart.hasBytes(file.path) {
            return error(
                .cannotOpenFile, "it has bytes and no size; read it, and upload the data")
        }
        guard manager.isReadableFile(atPath: file.path) else {
            return error(.noPermissionsToReadFile, "it cannot be read")
        }
        return nil
    }
}

/// A request's body stream, for each transfer of a task in turn.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around `isSpent`. Calls out on: nothing.
final class BodyStream: @unchecked Sendable {
    // @unchecked because the stream is constant, and only the transfer that got it uses it.
    private let stream: InputStream
    private let isSpent = Locked(false)

    /// Nil for a request without a stream.
    init?(_ request: URLRequest) {
        guard let stream = request.httpBodyStream else { return nil }
        self.stream = stream
    }

    /// A copy of a multipart form's stream; any other stream itself, once.
    ///
    /// - Throws: `URLError.requestBodyStreamExhausted` when the stream was used before.
    func next() throws -> InputStream {
        if let replayable = stream as? any ReplayableBody { return try replayable.freshCopy() }
        let wasSpent = isSpent.withLock { isSpent in
            defer { isSpent = true }
            return isSpent
        }
        if wasSpent { throw URLError(.requestBodyStreamExhausted) }
        return stream
    }
}
