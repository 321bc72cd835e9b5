package import Foundation
import FoundationNetworking

/// When a stored response may be used (RFC 9111 sections 4 and 5.2), and how cache policies change
/// that.
enum ReuseRule {
    enum Verdict: Equatable {
        case load, loadFromOrigin, serve, revalidate, fail
    }

    /// - Parameters:
    ///   - stored: the response that matches the request, if there is one.
    ///   - missing: why there is none.
    static func verdict(
        for request: CacheRequest, stored: StoredHead?, missing: CacheReason, at now: Date
    ) -> (Verdict, CacheReason) {
        let (verdict, reason) = preference(request, request.bypass ?? missing, stored, now)
        let mayLoad = !request.control.has("only-if-cached")
        return verdict == .serve || verdict == .fail || mayLoad
            ? (verdict, reason) : (.fail, .onlyIfCached)
    }

    private static func preference(
        _ request: CacheRequest, _ missing: CacheReason, _ stored: StoredHead?, _ now: Date
    ) -> (Verdict, CacheReason) {
        switch request.request.cachePolicy {
        case .reloadIgnoringLocalCacheData: return (.load, .policyIgnoresCache)
        case .reloadIgnoringLocalAndRemoteCacheData: return (.loadFromOrigin, .policyIgnoresCache)
        case .returnCacheDataElseLoad:
            guard let stored else { return (.load, missing) }
            return (.serve, .policyTakesAny(staleSeconds: staleness(stored, now)))
        case .returnCacheDataDontLoad:
            guard let stored else { return (.fail, .policyDoesNotLoad(missing)) }
            return (.serve, .policyTakesAny(staleSeconds: staleness(stored, now)))
        case .reloadRevalidatingCacheData:
            guard let stored else { return (.load, missing) }
            return validation(of: stored, for: request, because: .policyRevalidates)
        default:
            guard let stored else { return (.load, missing) }
            return protocolVerdict(request, stored, now)
        }
    }

    private static func protocolVerdict(
        _ request: CacheRequest, _ stored: StoredHead, _ now: Date
    ) -> (Verdict, CacheReason) {
        let control = stored.control
        let age = stored.age(at: now)
        let left = stored.lifetime - age
        func ask(_ reason: CacheReason) -> (Verdict, CacheReason) {
            validation(of: stored, for: request, because: reason)
        }
        if request.control.has("no-cache") { return ask(.requestSaysNoCache) }
        if control.has("no-cache") { return ask(.answerSaysNoCache) }
        if now < stored.responseTime { return ask(.clockWentBack) }
        // A number that cannot be read counts as the strictest one.
        switch request.control.seconds("max-age") {
        case .value(let limit) where age <= TimeInterval(limit): break
        case .absent: break
        default: return ask(.olderThanAsked(seconds: whole(age)))
        }
        if left <= 0 {
            let stale = CacheReason.stale(seconds: whole(-left))
            return !control.has("must-revalidate") && allowsStale(request.control, by: -left)
                ? (.serve, .staleAllowed(seconds: whole(-left))) : ask(stale)
        }
        switch request.control.seconds("min-fresh") {
        case .value(let limit) where left >= TimeInterval(limit): break
        case .absent: break
        default: return ask(.notFreshLongEnough(seconds: whole(left)))
        }
        return (.serve, .fresh(seconds: whole(left)))
    }

    /// max-stale without a number accepts any age (RFC 9111 section 5.2.1.2); min-fresh accepts
    /// none.
    private static func allowsStale(_ control: CacheControl, by seconds: TimeInterval) -> Bool {
        guard control.has("max-stale"), !control.has("min-fresh") else { return false }
        if control.directives["max-stale"] == [nil] { return true }
        guard case .value(let limit) = control.seconds("max-stale") else { return false }
        return seconds <= TimeInterval(limit)
    }

    /// A HEAD is sent unchanged, since a 304 could save it no body (RFC 9111 section 4.3.5).
    private static func validation(
        of stored: StoredHead, for request: CacheRequest, because reason: CacheReason
    ) -> (Verdict, CacheReason) {
        if request.isHead { return (.load, reason) }
        return stored.validators.isEmpty ? (.load, .noValidator(reason)) : (.revalidate, reason)
    }

    // MARK: RFC 5861 section 4

    /// Whether a stored response may be served in place of an error of the server, and for how long
    /// it has been stale.
    static func staleIfError(
        _ stored: StoredHead, for request: CacheRequest, at now: Date
    ) -> CacheReason? {
        let control = stored.control
        guard request.request.cachePolicy == .useProtocolCachePolicy,
            !["no-cache", "must-revalidate"].contains(where: control.has),
            !request.control.has("no-cache"), now >= stored.responseTime
        else { return nil }
        let stale = stored.age(at: now) - stored.lifetime
        let limits = [control, request.control].compactMap { control -> Int? in
            guard case .value(let limit) = control.seconds("stale-if-error") else { return nil }
            return limit
        }
        guard let limit = limits.max(), stale <= TimeInterval(limit) else { return nil }
        return .staleIfError(seconds: whole(max(0, stale)))
    }

    private static func staleness(_ stored: StoredHead, _ now: Date) -> Int {
        max(0, whole(stored.age(at: now) - stored.lifetime))
    }

    private static func whole(_ seconds: TimeInterval) -> Int {
        Int(min(seconds, 4_294_967_296).rounded(.down))
    }
}

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
