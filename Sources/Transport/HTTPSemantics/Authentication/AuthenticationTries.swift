package import FoundationNetworking

package struct AuthenticationAttempt {
    package fileprivate(set) var offer: AuthenticationOffer
    package let credential: URLCredential
    /// Whether the delegate was not asked: the credential comes from the storage or the proxy's settings, or was
    /// accepted earlier in this load.
    package let isSilent: Bool
    /// At most this many requests are sent for the attempt; libcurl may need several.
    package let requestLimit: Int
}

/// What a challenge passes to the delegate.
package struct AuthenticationQuestion {
    package let offer: AuthenticationOffer
    /// The credential in the URL, or the one that the server refused last.
    package let proposed: URLCredential?
    /// How many of the delegate's credentials the servers have refused in this load, in all spaces.
    package let previousFailureCount: Int
}

/// What to do about each 401 and 407 of one load, redirects included.
///
/// - A stored credential is tried before the delegate is asked, and its refusal is not a failure.
/// - A user and password that a space refused are not sent to that space again, whoever gives them.
///   Giving them again counts as an attempt and a failure; at the limit of attempts the refusal is
///   the response of the load.
/// - When a Digest nonce has expired, the new one is answered with the same credential, without a
///   delegate call.
/// - At most 5 attempts are made, and at most 10 requests are sent for them, because a server could
///   refuse for ever.
/// - What belongs to an origin is dropped when a redirect leaves it.
package struct AuthenticationTries {
    package enum Step {
        case send(AuthenticationAttempt)
        /// Call the delegate, and pass its answer to `answered`.
        case ask(AuthenticationQuestion)
        /// The 401 or 407 is the response of the load.
        case show
        case giveUp(String)
    }

    package enum Answer {
        case use(URLCredential)
        case continueWithoutCredential
        /// The next offer is tried.
        case rejectProtectionSpace
    }

    static let attemptLimit = 5
    /// How many requests one load may send that are refused or belong to an attempt.
    package static let requestLimit = 10

    /// A 401 or 407 that has not been handled yet.
    private struct Refusal {
        var offers: [AuthenticationOffer]
        let role: AuthenticationTarget.Role
        let proposed: URLCredential?
        let stored: [ProtectionSpaceKey: URLCredential]
    }

    private var origin: AuthenticationTarget?
    private var attempts = 0
    private var requests = 0
    private var failures = 0
    private var refusal: Refusal?
    private var current: [AuthenticationTarget.Role: AuthenticationAttempt] = [:]
    private var accepted: [ProtectionSpaceKey: URLCredential] = [:]
    private var refused: [ProtectionSpaceKey: [URLCredential]] = [:]

    package init() {}

    /// The credential of every further request, until it is refused or a redirect leaves its
    /// origin.
    package func attempt(for role: AuthenticationTarget.Role) -> AuthenticationAttempt? {
        current[role]
    }

    /// The value of the header field that carries the credential in the next request; nil where
    /// libcurl writes it.
    ///
    /// - Parameter target: the request target of the request line (path and query).
    package mutating func authorization(
        for role: AuthenticationTarget.Role, method: String, target: String
    ) -> String? {
        guard let attempt = current[role] else { return nil }
        return attempt.offer.authorization(with: attempt.credential)
            ?? current[role]?.offer.digest?.answer(method, target, with: attempt.credential)
    }

    /// Call before each request: a request to another origin drops the last origin's credential.
    package mutating func moves(to origin: AuthenticationTarget?) {
        guard origin != self.origin else { return }
        self.origin = origin
        current[.origin] = nil
        accepted = accepted.filter { $0.key.target.role == .proxy }
        refusal = nil
    }

    /// Call before a request that uses another proxy than the last one, or none: the last proxy's
    /// credential is not sent to others.
    package mutating func leavesProxy() {
        current[.proxy] = nil
        accepted = accepted.filter { $0.key.target.role == .origin }
        refusal = nil
    }

    /// Call with the status of each response, before anything else.
    ///
    /// - Returns: attempts that the server has now accepted and that did not come from the storage.
    ///   The caller stores them when the storage may be used.
    package mutating func received(status: Int) -> [AuthenticationAttempt] {
        var new: [AuthenticationAttempt] = []
        for (role, attempt) in current
        where status < 400 || (role == .proxy && status == 401) {
            let key = ProtectionSpaceKey(attempt.offer.space)
            guard accepted[key] == nil else { continue }
            accepted[key] = attempt.credential
            if !attempt.isSilent { new.append(attempt) }
        }
        return new
    }

    /// Decides about a 401 or 407.
    ///
    /// - Parameters:
    ///   - requests: how many were sent since the last step.
    ///   - proposed: the credential in the URL that the caller gave. A credential in a redirect's
    ///     location comes from the server and is ignored.
    ///   - stored: the storage's default, nil where the storage may not be used; or the credential
    ///     of the proxy's own settings.
    package mutating func refused(
        by role: AuthenticationTarget.Role, offers: [AuthenticationOffer], requests: Int,
        proposed: URLCredential?, stored: (URLProtectionSpace) -> URLCredential?
    ) -> Step {
        self.requests += requests
        if let step = renewed(role, offers, requests: requests) { return step }
        noteFailure(of: role, offers)
        let known = offers.compactMap { offer in
            stored(offer.space).map { (ProtectionSpaceKey(offer.space), $0) }
        }
        refusal = Refusal(
            offers: offers, role: role, proposed: proposed,
            stored: Dictionary(known) { first, _ in first })
        return choose()
    }

    package mutating func answered(_ answer: Answer) -> Step {
        guard let refusal, let offer = refusal.offers.first else { return .show }
        switch answer {
        case .use(let credential) where offer.canCarry(credential):
            return isRefused(credential, offer)
                ? refusedAgain() : send(credential, offer, isSilent: false)
        case .use, .rejectProtectionSpace:
            self.refusal?.offers.removeFirst()
            return choose()
        case .continueWithoutCredential:
            return .show
        }
    }

    /// Calls the delegate again, as if the server had refused the same credential once more: it
    /// would.
    private mutating func refusedAgain() -> Step {
        attempts += 1
        failures += 1
        return attempts < Self.attemptLimit ? choose() : .show
    }

    // MARK: Choosing

    private mutating func choose() -> Step {
        guard let refusal, let strongest = refusal.offers.first else { return .show }
        for offer in refusal.offers {
            let key = ProtectionSpaceKey(offer.space)
            if let known = accepted[key] { return send(known, offer, isSilent: true) }
            if let known = refusal.stored[key], offer.canCarry(known), !isRefusedAnywhere(known) {
                return send(known, offer, isSilent: true)
            }
        }
        let last = refused[ProtectionSpaceKey(strongest.space)]?.last
        let fresh = refusal.proposed.flatMap { isRefused($0, strongest) ? nil : $0 }
        return .ask(
            AuthenticationQuestion(
                offer: strongest, proposed: fresh ?? last, previousFailureCount: failures))
    }

    private mutating func send(
        _ credential: URLCredential, _ offer: AuthenticationOffer, isSilent: Bool
    ) -> Step {
        guard let role = refusal?.role else { return .show }
        guard attempts < Self.attemptLimit else { return limitReached(role) }
        let step = begin(credential, offer, role, isSilent: isSilent)
        if case .send = step {
            attempts += 1
            refusal = nil
        }
        return step
    }

    private mutating func begin(
        _ credential: URLCredential, _ offer: AuthenticationOffer,
        _ role: AuthenticationTarget.Role, isSilent: Bool
    ) -> Step {
        let left = Self.requestLimit - requests
        guard left >= offer.usualRequests else { return limitReached(role) }
        let attempt = AuthenticationAttempt(
            offer: offer, credential: credential, isSilent: isSilent,
            requestLimit: min(offer.mostRequests, left))
        current[role] = attempt
        return .send(attempt)
    }

    private func limitReached(_ role: AuthenticationTarget.Role) -> Step {
        .giveUp(
            "The \(role == .proxy ? "proxy" : "server") still asks for a user and password "
                + "after \(attempts) attempts and \(requests) requests.")
    }

    /// Answers a challenge that only replaces the nonce, which says nothing about the password. A
    /// server may omit `stale`, so a nonce that was accepted before counts as expired.
    ///
    /// Where the credential was accepted meanwhile the requests are not counted: they followed
    /// redirects.
    private mutating func renewed(
        _ role: AuthenticationTarget.Role, _ offers: [AuthenticationOffer], requests: Int
    ) -> Step? {
        guard let attempt = current[role], let old = attempt.offer.digest else { return nil }
        let key = ProtectionSpaceKey(attempt.offer.space)
        let offer = offers.first {
            guard let digest = $0.digest else { return false }
            return (digest.isStale || old.uses > 1) && ProtectionSpaceKey($0.space) == key
        }
        guard let offer else { return nil }
        let wasAccepted = accepted.removeValue(forKey: key) != nil
        if wasAccepted { self.requests -= requests }
        current[role] = nil
        return begin(
            attempt.credential, offer, role, isSilent: attempt.isSilent || wasAccepted)
    }

    // MARK: Remembering

    /// Records a refusal. Where one space accepted a credential that was then sent to another
    /// space, only the other space has refused it.
    private mutating func noteFailure(
        of role: AuthenticationTarget.Role, _ offers: [AuthenticationOffer]
    ) {
        guard let attempt = current.removeValue(forKey: role) else { return }
        let key = ProtectionSpaceKey(attempt.offer.space)
        var spaces = Set(
            offers.filter { $0.method == attempt.offer.method }.map {
                ProtectionSpaceKey($0.space)
            })
        if spaces.contains(key) || accepted[key] == nil {
            spaces.insert(key)
            accepted[key] = nil
            if !attempt.isSilent { failures += 1 }
        } else if attempt.offer.digest != nil {
            // The answer was computed for another realm.
            spaces = []
        }
        for space in spaces {
            refused[space, default: []].append(attempt.credential)
        }
    }

    /// A credential that failed with a strong method is not sent by a weaker one without a
    /// challenge.
    private func isRefusedAnywhere(_ credential: URLCredential) -> Bool {
        refused.values.joined().contains { $0.hasPassword(of: credential) }
    }

    private func isRefused(_ credential: URLCredential, _ offer: AuthenticationOffer) -> Bool {
        (refused[ProtectionSpaceKey(offer.space)] ?? []).contains {
            $0.hasPassword(of: credential)
        }
    }
}

extension URLCredential {
    /// Whether user and password are those of another credential.
    func hasPassword(of other: URLCredential) -> Bool {
        user == other.user && password == other.password
    }
}
