import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics

/// Continues the body of one operation from one run to the next.
///
/// A part is continued only with the same request, and only if the response fits by `PartialContent`. A response that
/// ends before the last byte is a failure.
///
/// ## Concurrency
/// Call from: the network thread. Lock: none. Calls out: never.
final class Resumption {
    /// The request of the stored bytes, and the validator of their response.
    private var source: URLRequest?
    private var validator: String?
    /// A response whose validator was not read yet.
    private var unread: HTTPURLResponse?
    /// The request of the run under way.
    private var asked: URLRequest?
    /// The part that the run under way continues; nil if it starts at the first byte.
    private var partial: PartialContent?
    private var isAppending = false
    /// Whether the current run requests all bytes by a range, since a pause came before the
    /// first.
    private var asksForWholeByRange = false
    /// The complete length, if it is known.
    private var total: Int64?

    /// The request of a run: for the remaining bytes, if the stored ones can be continued.
    ///
    /// - Parameter paused: the request after a pause has changed it. It is used if it requests all bytes. A copy's
    ///   may request the remaining bytes of another operation, and is then not used.
    func begin(
        _ request: URLRequest, paused: URLRequest? = nil,
        after response: @autoclosure () -> URLResponse?,
        stored: Int64
    ) -> URLRequest {
        asked = request
        partial = nil
        isAppending = false
        total = nil
        if stored == 0, let paused, paused.value(forHTTPHeaderField: "Range") == "bytes=0-" {
            asksForWholeByRange = true
            return paused
        }
        asksForWholeByRange = false
        if let unread {
            validator = PartialContent.validator(of: unread)
            self.unread = nil
        }
        guard stored > 0, let source, Self.isSame(source, request), request.httpMethod == "GET",
            request.value(forHTTPHeaderField: "Range") == nil
        else { return request }
        // A 206 need not repeat the validator of the request.
        partial = PartialContent(of: response(), stored: stored, validator: validator)
        return partial?.request(continuing: request) ?? request
    }

    func judge(_ response: URLResponse) -> PartialContent.Answer {
        let response = response as? HTTPURLResponse
        let answer =
            response.flatMap { partial?.judge($0) ?? judgeWhole($0) }
            ?? .startOver(isSameEntity: false)
        switch answer {
        case .append:
            isAppending = true
            total = response.flatMap { partial?.whole(after: $0) }
        case .startOver(let isSameEntity):
            source = asked
            unread = response
            validator = nil
            total = isSameEntity ? partial?.totalLength : nil
        case .complete, .refuse:
            break
        }
        return answer
    }

    /// A response to `bytes=0-` has all bytes; for an empty resource it may be a 416.
    private func judgeWhole(_ response: HTTPURLResponse) -> PartialContent.Answer {
        guard asksForWholeByRange else { return .startOver(isSameEntity: false) }
        let range = ContentRange(response)
        switch response.statusCode {
        case 206 where range?.isWhole != true || range?.fits(response) != true:
            return .refuse("The server sent another range than the requested one.")
        case 416 where range?.total == 0:
            return .complete
        default:
            return .startOver(isSameEntity: false)
        }
    }

    /// The complete length, from the length of a response; -1 is unknown.
    func whole(announced: Int64) -> Int64 {
        guard announced >= 0, isAppending, let partial else { return announced }
        return PartialContent.whole(from: partial.offset, announced: announced)
    }

    /// The error of a response that ended before the last byte.
    func shortfall(stored: Int64, url: @autoclosure () -> URL?) -> URLError? {
        guard let total, stored != total else { return nil }
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: "The server sent \(stored) of \(total) bytes."
        ]
        info[NSURLErrorFailingURLErrorKey] = url()
        return URLError(.networkConnectionLost, described: info)
    }

    private static func isSame(_ first: URLRequest, _ second: URLRequest) -> Bool {
        first.url == second.url && first.httpMethod == second.httpMethod
            && first.allHTTPHeaderFields == second.allHTTPHeaderFields
    }
}
