import Foundation
import FoundationNetworking

/// What a task sends, so that its transfer can be made again.
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

    /// Whether a body goes with the request.
    var hasBody: Bool {
        switch self {
        case .data(let request), .download(let request):
            request.httpBody != nil || request.httpBodyStream != nil
        case .file, .bytes, .stream: true
        }
    }

    /// Why Foundation would stop the process, or say nothing, instead of failing a task of this.
    var defect: URLError? {
        guard let url = request.url, url.scheme != nil else { return URLError(.badURL) }
        // The error that Foundation has for it, which may meet a cancellation when it comes at once.
        if request.httpMethod == "GET", hasBody { return URLError(.dataLengthExceedsMaximum) }
        guard case .file(_, let file) = self else { return nil }
        return Self.defect(of: file)
    }

    /// Why a file cannot be sent. Foundation would say nothing and wait until the time is up.
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
        guard manager.isReadableFile(atPath: file.path) else {
            return error(.noPermissionsToReadFile, "it cannot be read")
        }
        return nil
    }

    /// The request of one transfer: its stream is one that Foundation reads to its end, and that
    /// stands in its head by its length or as chunks.
    func request(reading stream: BodyStream) throws -> URLRequest {
        switch self {
        case .data(let request) where request.httpBodyStream != nil,
            .download(let request) where request.httpBodyStream != nil:
            var framed = BodyFraming.framed(request)
            framed.httpBodyStream = try stream.next()
            return framed
        case .stream(let request):
            return BodyFraming.framed(request)
        default:
            return request
        }
    }

    /// A suspended `URLSessionTask`, for a request other than this one's where a download goes on.
    func makeTask(in session: URLSession, for request: URLRequest) -> URLSessionTask {
        switch self {
        case .data, .download: session.dataTask(with: request)
        case .file(_, let file): session.uploadTask(with: request, fromFile: file)
        case .bytes(_, let data): session.uploadTask(with: request, from: data)
        case .stream: session.uploadTask(withStreamedRequest: request)
        }
    }
}
