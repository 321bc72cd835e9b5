package import Foundation

/// What came in the place of a good answer.
package enum CacheFailure: Sendable {
    case status(Int)
    case error(URLError)

    /// Whether the server, or the way to it, is to blame (RFC 5861 section 4).
    ///
    /// A server that is not trusted, a refused credential and a cancelled load are no such
    /// failures: an older answer must not hide them.
    var isServerFailure: Bool {
        switch self {
        case .status(let status): [500, 502, 503, 504].contains(status)
        case .error(let error):
            [
                .badServerResponse, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed,
                .networkConnectionLost, .notConnectedToInternet, .timedOut,
            ].contains(error.code)
        }
    }
}
