import Foundation
import FoundationNetworking

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

    /// Whether the request has a body.
    var hasBody: Bool {
        switch self {
        case .data(let request), .download(let request):
            request.httpBody != nil || request.httpBodyStream != nil
        case .file, .bytes, .stream: true
        }
    }

    /// The error of a task for which Foundation would crash, or never report the end.
    var defect: URLError? {
        guard let url = request.url, url.scheme != nil else { return URLError(.badURL) }
        // Foundation reports this error at once, which may collide with a cancellation.
        if request.httpMethod == "GET", hasBody { return URLError(.dataLengthExceedsMaximum) }
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
        guard manager.isReadableFile(atPath: file.path) else {
            return error(.noPermissionsToReadFile, "it cannot be read")
        }
        return nil
    }

    /// The request of one transfer, with a stream that Foundation reads to its end, and with the
    /// framing of that stream in its head.
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

    /// A suspended `URLSessionTask`. A continued download passes another request.
    func makeTask(in session: URLSession, for request: URLRequest) -> URLSessionTask {
        switch self {
        case .data, .download: session.dataTask(with: request)
        case .file(_, let file): session.uploadTask(with: request, fromFile: file)
        case .bytes(_, let data): session.uploadTask(with: request, from: data)
        case .stream: session.uploadTask(withStreamedRequest: request)
        }
    }
}
