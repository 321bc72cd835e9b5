package import FoundationNetworking

/// A credential on its way to whoever asked for it.
package struct AuthenticationAttempt {
    package let offer: AuthenticationOffer
    package let credential: URLCredential
    /// Taken from the storage, or accepted earlier in this load: nobody was asked.
    package let isSilent: Bool
    /// More requests than this are not to be sent for it; libcurl may need several.
    package let requestLimit: Int
}

/// What a delegate is asked.
package struct AuthenticationQuestion {
    package let offer: AuthenticationOffer
    /// The URL's credential, or the one that was refused last.
    package let proposed: URLCredential?
    /// Refused answers of the delegate so far in this load, in whatever space.
    package let previousFailureCount: Int
}

/// Pure: what to do about each 401 and 407 of one load, redirects included.
///
/// It holds that
/// - a stored credential is tried before anybody is asked, and not counted as a failure;
/// - a user and password that a space refused are not sent to it again, whoever gives them: that
///   counts as a failure, and who insists gets the refusal as the answer;
/// - at most 5 attempts are made, and at most 10 requests sent for them (R61);
/// - what belongs to an origin is forgotten when a redirect leaves it (R62).
package struct AuthenticationTries {
    package enum Step {
        /// Send the request again with this.
        case send(AuthenticationAttempt)
        /// Ask, and hand the answer to `answered`.
        case ask(AuthenticationQuestion)
        /// The refusal is the response of the load.
        case show
        /// Fail with this sentence.
        case giveUp(String)
    }

    package enum Answer {
        case use(URLCredential)
        case continueWithoutCredential
        /// Asks about the next offer.
        case rejectProtectionSpace
    }

    /// Attempts in one load.
    package static let attemptLimit = 5
    /// Requests that end in a refusal, and those sent for an attempt, in one load.
    package static let requestLimit = 10

    private struct Password: Hashable {
        let user: String?
        let password: String?

        init(_ credential: URLCredential) {
            user = credential.user
            password = credential.password
        }
    }

    /// A refusal that is not settled.
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

    /// The credential that goes with every further request until it is refused or left behind.
    package func attempt(for role: AuthenticationTarget.Role) -> AuthenticationAttempt? {
        current[role]
    }

    /// Call before each request: another origin than the last one ends what belonged to that.
    package mutating func moves(to origin: AuthenticationTarget?) {
        guard origin != self.origin else { return }
        self.origin = origin
        current[.origin] = nil
        accepted = accepted.filter { $0.key.isProxy }
        refusal = nil
    }

    /// Call before a request that goes through another proxy than the last one, or none: what was
    /// given to that is for no other.
    package mutating func leavesProxy() {
        current[.proxy] = nil
        accepted = accepted.filter { !$0.key.isProxy }
        refusal = nil
    }

    /// Call with the status of each answer, before anything else.
    ///
    /// - Returns: attempts that turn out to be good and were not taken from the storage; they
    ///   belong into it when it may be used.
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

    /// A 401 or 407 came.
    ///
    /// - Parameters:
    ///   - requests: how many were sent since the last step.
    ///   - proposed: the credential in the URL the caller gave. One in a redirect's location is the
    ///     server's, and does not count.
    ///   - stored: the storage's default, nil where it may not be used; or a proxy's own
    ///     credential.
    package mutating func refused(
        by role: AuthenticationTarget.Role, offers: [AuthenticationOffer], requests: Int,
        proposed: URLCredential?, stored: (URLProtectionSpace) -> URLCredential?
    ) -> Step {
        self.requests += requests
        noteFailure(of: role, offers)
        let known = offers.compactMap { offer in
            stored(offer.space).map { (ProtectionSpaceKey(offer.space), $0) }
        }
        refusal = Refusal(
            offers: offers, role: role, proposed: proposed,
            stored: Dictionary(known) { first, _ in first })
        return choose()
    }

    /// The delegate answered what `ask` was about.
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

    /// Asks once more, as if the server had refused it again; it would have.
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
        let left = Self.requestLimit - requests
        guard attempts < Self.attemptLimit, left >= offer.method.usualRequests else {
            return .giveUp(
                "The \(role == .proxy ? "proxy" : "server") still asks for a user and password "
                    + "after \(attempts) attempts and \(requests) requests.")
        }
        attempts += 1
        refusal = nil
        let attempt = AuthenticationAttempt(
            offer: offer, credential: credential, isSilent: isSilent,
            requestLimit: min(offer.method.mostRequests, left))
        current[role] = attempt
        return .send(attempt)
    }

    // MARK: Remembering

    /// A credential that was good in one space and went on to another, is refused by the other
    /// alone.
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
        }
        for space in spaces {
            refused[space, default: []].append(attempt.credential)
        }
    }

    /// What a strong method was refused for is not tried by a weaker one unasked.
    private func isRefusedAnywhere(_ credential: URLCredential) -> Bool {
        refused.values.joined().contains { Password($0) == Password(credential) }
    }

    private func isRefused(_ credential: URLCredential, _ offer: AuthenticationOffer) -> Bool {
        (refused[ProtectionSpaceKey(offer.space)] ?? []).contains {
            Password($0) == Password(credential)
        }
    }
}
