package import Foundation

/// What happened in place of a usable response.
package enum CacheFailure: Sendable {
    case status(Int)
    case error(URLError)

    /// Whether the server, or the network path to it, failed (RFC 5861 section 4).
    ///
    /// An untrusted server, a refused credential and a cancelled load are no such failures: an
    /// older response must not hide them.
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
