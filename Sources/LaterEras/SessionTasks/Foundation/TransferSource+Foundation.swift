import Foundation
import FoundationNetworking

// What a task sends, as Foundation's session takes it.
extension TransferSource {
    /// The error of a task for which Foundation would crash, or never report the end.
    var foundationDefect: URLError? {
        // Foundation reports this error at once, which may collide with a cancellation.
        request.httpMethod == "GET" && hasBody ? URLError(.dataLengthExceedsMaximum) : nil
    }

    /// The request of one transfer, with a stream that Foundation reads to its end, and with the
    /// framing of that stream in its head.
    ///
    /// - Parameter request: the source's, or the one for the rest of a download.
    func framed(_ request: URLRequest, reading stream: BodyStream) throws -> URLRequest {
        switch self {
        case .data where request.httpBodyStream != nil,
            .download where request.httpBodyStream != nil:
            var framed = BodyFraming.framed(request)
            let body = try stream.next()
            if let body, BodyStream.isRead(body) { throw URLError(.requestBodyStreamExhausted) }
            framed.httpBodyStream = body.map(stream.reading)
            return framed
        case .stream:
            return BodyFraming.framed(request)
        default:
            return request
        }
    }

    /// A suspended `URLSessionTask`.
    func makeTask(in session: URLSession, for request: URLRequest) -> URLSessionTask {
        switch self {
        case .data, .download: session.dataTask(with: request)
        case .file(_, let file): session.uploadTask(with: request, fromFile: file)
        case .bytes(_, let data): session.uploadTask(with: request, from: data)
        case .stream: session.uploadTask(withStreamedRequest: request)
        }
    }
}
