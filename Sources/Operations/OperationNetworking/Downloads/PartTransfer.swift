import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import Locking

/// One connection of a download. It requests missing bytes, and judges the response before the first of them.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around `judged`. Calls out on: the network thread (`responded`,
/// `received`), which must not wait.
final class PartTransfer: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because `task` is set before the connection starts, and `judged` has a lock.

    struct Task {
        var partial: PartialContent?
        var expectation: PartVerdict.Expectation
        var buffer: PartBuffer
        /// Called once with each response, before its bytes.
        var responded: @Sendable (Judged) -> Void
        /// Called with the number of bytes of each piece.
        var received: @Sendable (Int64) -> Void
    }

    /// A response, as far as the try needs it.
    struct Judged {
        var verdict: PartVerdict
        /// The offset behind its last byte; nil if unknown.
        var end: Int64?
        /// Whether further connections may request other ranges.
        var allowsMore: Bool
        /// The `Retry-After` field.
        var retryAfter: String?
    }

    private var task: Task?
    private let judged = Locked<Judged?>(nil)

    convenience init(_ request: URLRequest, _ task: Task) {
        var request = task.partial?.request(continuing: request) ?? request
        if let partial = task.partial, let end = task.expectation.end {
            request.setValue("bytes=\(partial.offset)-\(end - 1)", forHTTPHeaderField: "Range")
        }
        // Offsets, lengths and ranges count the bytes as they are sent.
        if task.partial != nil || task.expectation.isAsSent {
            request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        }
        self.init(request: request)
        self.task = task
        outputStream = PartOutput(task.buffer)
    }

    /// The latest response; nil before the first.
    var latest: Judged? { judged.withLock { $0 } }

    override func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        guard let task else { return }
        let verdict = PartVerdict.judge(response, continuing: task.partial, task.expectation)
        let new = Judged(
            verdict: verdict, end: PartVerdict.promisedEnd(response, verdict.total),
            allowsMore: PartVerdict.allowsMore(response, isAsSent: task.expectation.isAsSent),
            retryAfter: (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Retry-After"))
        judged.withLock { $0 = new }
        super.connection(connection, didReceive: response)
        task.responded(new)
        switch verdict {
        case .append, .startOver: break
        // Its body is not part of the file.
        case .complete: cancel()
        case .failed(let error): fail(with: error)
        }
    }

    override func connection(_ connection: URLConnection, didReceive data: Data) {
        // The body of a refused response is not stored.
        switch latest?.verdict {
        case .append, .startOver:
            super.connection(connection, didReceive: data)
            task?.received(Int64(data.count))
        default: break
        }
    }
}

/// What a response means for the part of a download.
enum PartVerdict {
    /// The missing bytes follow; the length of the whole file, if known.
    case append(total: Int64?)
    /// The whole file follows; the record is nil if it could not be continued.
    case startOver(DownloadRecord?, total: Int64?)
    /// No byte is missing.
    case complete
    case failed(DownloadError)

    /// The length of the whole file, if known.
    var total: Int64? {
        switch self {
        case .append(let total), .startOver(_, let total): total
        case .complete, .failed: nil
        }
    }

    /// What is known before the response.
    struct Expectation {
        var place: DownloadPlace
        var address: String
        var length: Int64?
        var existing: ExistingFile?
        /// The offset behind the last requested byte; nil for the end of the file.
        var end: Int64?
        /// Whether it is for a further connection of a try, which never starts over.
        var isFurther = false
        /// Whether the body is stored in its content coding.
        var isAsSent = true
    }

    static func judge(
        _ response: URLResponse, continuing partial: PartialContent?, _ expectation: Expectation
    ) -> PartVerdict {
        do throws(DownloadError) {
            guard let response = response as? HTTPURLResponse else {
                throw DownloadError.refused("The response is not HTTP.")
            }
            switch (response.statusCode, partial) {
            case (206, nil):
                guard isWhole(response) else {
                    throw DownloadError.refused("The server sent a range that was not requested.")
                }
                return try startOver(response, expectation)
            // 201 answers a POST that makes the file, and a 203 is one that a proxy has changed. A 202 has no file yet.
            case (200, nil), (201, nil), (203, nil), (204, nil):
                return try startOver(response, expectation)
            case (200, let partial?), (203, let partial?), (206, let partial?), (416, let partial?):
                if expectation.isFurther { try check(response, furthering: partial, expectation) }
                return try judge(response, after: partial, expectation)
            default:
                throw DownloadError.status(response.statusCode)
            }
        } catch {
            return .failed(error)
        }
    }

    private static func judge(
        _ response: HTTPURLResponse, after partial: PartialContent, _ expectation: Expectation
    ) throws(DownloadError) -> PartVerdict {
        let coding = PartialContent.coding(of: response)
        switch response.statusCode {
        case 206:
            if let coding, coding != partial.coding { throw .encodedPart }
            // The whole file in place of the missing bytes.
            if !expectation.isFurther, partial.offset > 0, isWhole(response) {
                return try startOver(response, expectation)
            }
        case 200, 203:
            // The request for a range allowed no coding, so it would not be decoded.
            if coding != nil, !expectation.isAsSent { throw .encodedPart }
            return try startOver(response, expectation)
        default: break
        }
        switch partial.judge(response) {
        case .append:
            let total = partial.whole(after: response)
            try compare(total, expectation)
            return .append(total: total)
        case .startOver:
            return try startOver(response, expectation)
        case .complete:
            try compare(partial.offset, expectation)
            return .complete
        case .refuse(let reason):
            throw partial.isOutdated(by: response) ? .changed : .refused(reason)
        }
    }

    /// Whether a range is the whole file.
    private static func isWhole(_ response: HTTPURLResponse) -> Bool {
        guard let range = ContentRange(response), range.total != nil else { return false }
        return range.isWhole && range.fits(response)
    }

    /// A further connection needs exactly its range, of the same version of the file.
    private static func check(
        _ response: HTTPURLResponse, furthering partial: PartialContent, _ expectation: Expectation
    ) throws(DownloadError) {
        guard response.statusCode == 206 else {
            throw .refused("The server did not send the range; its file may have changed.")
        }
        guard let range = ContentRange(response), let total = range.total,
            total == partial.totalLength, range.end == expectation.end ?? total
        else { throw .refused("The server sent another range than was requested.") }
        guard strongTag(response) == partial.validator else {
            throw .refused("The server does not say that the range is of the same file.")
        }
    }

    /// Whether further connections may request ranges of the file: it has a strong entity tag, and the server has sent
    /// a range or says that it can.
    static func allowsMore(_ response: URLResponse, isAsSent: Bool) -> Bool {
        guard let response = response as? HTTPURLResponse, strongTag(response) != nil,
            isAsSent || PartialContent.coding(of: response) == nil
        else { return false }
        if response.statusCode == 206 { return true }
        let units = response.value(forHTTPHeaderField: "Accept-Ranges") ?? ""
        return units.split(separator: ",").contains {
            $0.trimmingCharacters(in: .whitespaces).lowercased() == "bytes"
        }
    }

    /// The offset behind the last byte that a response announces.
    static func promisedEnd(_ response: URLResponse, _ total: Int64?) -> Int64? {
        let response = response as? HTTPURLResponse
        return response?.statusCode == 206 ? response.flatMap(ContentRange.init)?.end : total
    }

    private static func strongTag(_ response: HTTPURLResponse) -> String? {
        guard let tag = response.value(forHTTPHeaderField: "ETag"), tag.hasPrefix("\"") else {
            return nil
        }
        return tag
    }

    private static func startOver(
        _ response: HTTPURLResponse, _ expectation: Expectation
    ) throws(DownloadError) -> PartVerdict {
        let isDecoded = !expectation.isAsSent && PartialContent.coding(of: response) != nil
        let range = response.statusCode == 206 ? ContentRange(response) : nil
        let total = isDecoded ? nil : range?.total ?? length(of: response)
        try compare(total, expectation)
        let record = DownloadRecord(
            of: response, address: expectation.address, isAsSent: expectation.isAsSent)
        return .startOver(record, total: total)
    }

    /// Refuses another length than the expected one or that of the existing file.
    private static func compare(
        _ total: Int64?, _ expectation: Expectation
    ) throws(DownloadError) {
        guard let total else { return }
        if let length = expectation.length, length != total {
            throw .wrongLength(expected: length, received: total)
        }
        if let existing = expectation.existing, existing.length != total {
            throw .otherFile(
                path: expectation.place.path, length: existing.length, expectedLength: total)
        }
    }

    private static func length(of response: HTTPURLResponse) -> Int64? {
        let length = response.expectedContentLength
        return length < 0 ? nil : length
    }
}
