import Foundation

/// One more try of a file.
struct Retry: Sendable, Equatable {
    /// Seconds until it begins.
    var pause: TimeInterval
    /// The first retry is 1.
    var number: Int
    /// The most retries.
    var limit: Int
}

/// Pure: whether and when a failed download is tried again.
struct RetryPolicy: Sendable {
    /// Tries after the first.
    var retries: Int
    /// Seconds before the first retry; each later pause is twice as long, up to `longestPause`.
    var firstPause = 0.25
    /// In seconds.
    var longestPause = 8.0

    private static let passingStatus: Set<Int> = [408, 425, 429, 500, 502, 503, 504]
    private static let passingCodes: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .dnsLookupFailed, .cannotConnectToHost, .networkConnectionLost,
        .notConnectedToInternet, .cannotParseResponse, .badServerResponse, .resourceUnavailable,
    ]

    /// The pause before the next try, or nil when there is none.
    ///
    /// - Parameter tries: tries made so far, at least 1.
    func pause(after tries: Int, error: any Error) -> TimeInterval? {
        guard tries <= retries, Self.mayPass(error) else { return nil }
        return min(firstPause * pow(2, Double(tries - 1)), longestPause)
    }

    /// Whether the same request may succeed later.
    static func mayPass(_ error: any Error) -> Bool {
        switch error {
        case DownloadError.status(let code): passingStatus.contains(code)
        case DownloadError.encodedPart, DownloadError.wrongLength: true
        case let error as URLError: passingCodes.contains(error.code)
        default: false
        }
    }
}
