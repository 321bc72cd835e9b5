import TestSupport

@testable import HTTPSemantics

func passwordCredential(_ password: String) -> URLCredential {
    URLCredential(user: "user", password: password, persistence: .forSession)
}

/// One load against a server that knows one password.
struct AuthenticationRun {
    enum Outcome { case accepted, shown, gaveUp }

    struct Sent: Hashable {
        var method: AuthenticationOffer.Method
        var realm: String?
        var password: String?
    }

    let methods: [AuthenticationOffer.Method]
    var stored: String?
    var inURL: String?
    var renamesRealm = false
    /// Requests that the first attempts take; the others take the usual number.
    var costs: [Int] = []
    var answer: (AuthenticationQuestion, Int) -> AuthenticationTries.Answer = { _, _ in
        .continueWithoutCredential
    }

    private(set) var outcome: Outcome?
    private(set) var sent: [Sent] = []
    private(set) var silent: [Sent] = []
    private(set) var limits: [Int] = []
    private(set) var questions: [AuthenticationQuestion] = []
    private(set) var kept: [AuthenticationAttempt] = []
    private(set) var requests = 0
    private(set) var text = ""

    private var tries = AuthenticationTries()

    init(_ methods: [AuthenticationOffer.Method]) {
        self.methods = methods
    }

    mutating func go() throws {
        let url = try #require(URL(string: "http://one.test/"))
        let target = try #require(AuthenticationTarget(origin: url))
        tries.moves(to: target)
        requests = 1
        var step = refuse(target, requests: 1)
        for count in 0..<60 where outcome == nil {
            switch step {
            case .send(let attempt): step = send(attempt, target)
            case .ask(let question):
                questions.append(question)
                step = tries.answered(answer(question, count))
            case .show: outcome = .shown
            case .giveUp(let text):
                self.text = text
                outcome = .gaveUp
            }
        }
    }

    private mutating func send(
        _ attempt: AuthenticationAttempt, _ target: AuthenticationTarget
    ) -> AuthenticationTries.Step {
        let method = attempt.offer.method
        let new = Sent(
            method: method, realm: attempt.offer.space.realm, password: attempt.credential.password)
        sent.append(new)
        if attempt.isSilent { silent.append(new) }
        let count = limits.count < costs.count ? costs[limits.count] : attempt.offer.usualRequests
        limits.append(attempt.requestLimit)
        requests += count
        guard attempt.credential.password == "good" else {
            kept += tries.received(status: 401)
            return refuse(target, requests: count)
        }
        kept += tries.received(status: 200)
        outcome = .accepted
        return .show
    }

    private mutating func refuse(
        _ target: AuthenticationTarget, requests: Int
    ) -> AuthenticationTries.Step {
        let realm = renamesRealm ? "r\(sent.count)" : "r"
        let offers = methods.map {
            AuthenticationOffer(
                method: $0, space: target.space(realm: realm, method: $0.authenticationMethod))
        }
        return tries.refused(
            by: .origin, offers: offers, requests: requests,
            proposed: inURL.map { passwordCredential($0) }
        ) { [stored] _ in stored.map { passwordCredential($0) } }
    }
}
