import TestSupport

@testable import HTTPSemantics

@Suite("Which credential is tried, and how often", .timeLimit(.minutes(1)))
struct AuthenticationTriesTests {
    // MARK: Every case

    private struct Case {
        var methods: [AuthenticationOffer.Method]
        var stored: String?
        var isStorageAllowed: Bool
        var inURL: String?
        var delegate: Delegate

        var hasPasswordMethod: Bool { methods.contains { $0 != .negotiate } }
    }

    private enum Delegate: CaseIterable {
        case good, bad, badThenGood, alwaysNew, proposed, goes, rejects, trust
    }

    private static var everyCase: [Case] {
        let methods: [[AuthenticationOffer.Method]] = [
            [], [.basic], [.digest], [.ntlm], [.negotiate], [.digest, .basic],
            [.negotiate, .basic], [.negotiate, .digest, .ntlm, .basic],
        ]
        let passwords: [String?] = [nil, "good", "old"]
        var cases: [Case] = []
        for methods in methods {
            for stored in passwords {
                for isStorageAllowed in [true, false] {
                    for inURL in passwords {
                        for delegate in Delegate.allCases {
                            cases.append(
                                Case(
                                    methods: methods, stored: stored,
                                    isStorageAllowed: isStorageAllowed, inURL: inURL,
                                    delegate: delegate))
                        }
                    }
                }
            }
        }
        return cases
    }

    @Test func `every case ends, and as it should`() throws {
        for each in Self.everyCase {
            var run = AuthenticationRun(each.methods)
            run.stored = each.isStorageAllowed ? each.stored : nil
            run.inURL = each.inURL
            run.answer = { Self.answer(of: each.delegate, to: $0, step: $1) }
            try run.go()
            #expect(run.outcome == Self.expected(each), "\(each)")
            #expect(Set(run.sent).count == run.sent.count, "sent twice: \(each) \(run.sent)")
            #expect(run.sent.count <= AuthenticationTries.attemptLimit, "\(each)")
            #expect(run.requests <= AuthenticationTries.requestLimit, "\(each)")
            #expect(!run.sent.contains { $0.method == .negotiate }, "\(each)")
            let counts = run.questions.map(\.previousFailureCount)
            #expect(counts.first ?? 0 == 0 && counts == counts.sorted(), "\(each)")
            let hasSilent = each.isStorageAllowed && each.stored != nil && each.hasPasswordMethod
            #expect(run.silent.map(\.password) == (hasSilent ? [each.stored] : []), "\(each)")
            #expect(run.sent.starts(with: run.silent), "\(each)")
            let isNew = run.outcome == .accepted && !(hasSilent && each.stored == "good")
            #expect(run.kept.count == (isNew ? 1 : 0), "\(each)")
        }
    }

    private static func answer(
        of delegate: Delegate, to question: AuthenticationQuestion, step: Int
    ) -> AuthenticationTries.Answer {
        switch delegate {
        case .good: .use(passwordCredential("good"))
        case .bad: .use(passwordCredential("bad"))
        case .badThenGood:
            .use(passwordCredential(question.previousFailureCount == 0 ? "bad" : "good"))
        case .alwaysNew: .use(passwordCredential("bad\(step)"))
        case .proposed: question.proposed.map { .use($0) } ?? .continueWithoutCredential
        case .goes: .continueWithoutCredential
        case .rejects: .rejectProtectionSpace
        case .trust:
            .use(PeerTrustCredential(peerTrust: ServerTrust(host: "h", certificates: [])))
        }
    }

    private static func expected(_ each: Case) -> AuthenticationRun.Outcome {
        guard each.hasPasswordMethod else { return .shown }
        if each.isStorageAllowed, each.stored == "good" { return .accepted }
        switch each.delegate {
        case .good, .badThenGood: return .accepted
        case .proposed:
            // What is proposed for Negotiate is for the next offer too.
            return each.inURL == "good" ? .accepted : .shown
        case .alwaysNew: return .gaveUp
        case .bad, .goes, .rejects, .trust: return .shown
        }
    }

    // MARK: Single promises

    @Test func `a wrong password is tried once and asked for once more`() throws {
        var run = AuthenticationRun([.basic])
        run.answer = { question, _ in
            question.previousFailureCount == 0
                ? .use(passwordCredential("bad")) : .continueWithoutCredential
        }
        try run.go()
        #expect(run.outcome == .shown)
        #expect(run.requests == 2)
        #expect(run.questions.map(\.previousFailureCount) == [0, 1])
        #expect(run.questions.last?.proposed?.password == "bad")
    }

    @Test func `a stored password that is out of date does not use up the caller's turn`() throws {
        var run = AuthenticationRun([.basic])
        run.stored = "old"
        run.answer = { question, _ in
            question.previousFailureCount == 0
                ? .use(passwordCredential("good")) : .continueWithoutCredential
        }
        try run.go()
        #expect(run.outcome == .accepted)
        #expect(run.sent.map(\.password) == ["old", "good"])
        #expect(run.questions.map(\.previousFailureCount) == [0])
    }

    @Test func `a delegate that repeats the stored password gets the refusal`() throws {
        var run = AuthenticationRun([.basic])
        run.stored = "bad"
        run.answer = { _, _ in .use(passwordCredential("bad")) }
        try run.go()
        #expect(run.outcome == .shown)
        #expect(run.requests == 2)
    }

    @Test func `only a delegate may choose a weaker method with the same password`()
        throws
    {
        var run = AuthenticationRun([.digest, .basic])
        run.stored = "bad"
        run.answer = { question, _ in
            question.offer.method == .digest
                ? .rejectProtectionSpace : .use(passwordCredential("bad"))
        }
        try run.go()
        #expect(run.outcome == .shown)
        #expect(run.sent.map(\.method) == [.digest, .basic])
        #expect(run.silent.map(\.method) == [.digest])
    }

    @Test(arguments: [
        (AuthenticationOffer.Method.basic, 5, 6), (.digest, 4, 9), (.ntlm, 4, 9),
    ])
    func `new passwords without end are given up in a sentence`(
        method: AuthenticationOffer.Method, attempts: Int, requests: Int
    ) throws {
        var run = AuthenticationRun([method])
        run.answer = { .use(passwordCredential("bad\($1)")) }
        try run.go()
        #expect(run.outcome == .gaveUp)
        #expect(run.sent.count == attempts)
        #expect(run.requests == requests)
        #expect(run.text.contains("\(attempts) attempts and \(requests) requests"))
    }

    @Test(arguments: [([3, 3, 3], [3, 3, 3], 10), ([2, 2, 3], [3, 3, 3, 2], 10)])
    func `a nonce that is stale again and again costs at most 10 requests`(
        costs: [Int], limits: [Int], requests: Int
    ) throws {
        var run = AuthenticationRun([.digest])
        run.costs = costs
        run.answer = { .use(passwordCredential("bad\($1)")) }
        try run.go()
        #expect(run.outcome == .gaveUp)
        #expect(run.requests == requests)
        #expect(run.limits == limits)
    }

    @Test func `a server that renames its realm each time gets a password once`() throws {
        var run = AuthenticationRun([.basic])
        run.renamesRealm = true
        run.answer = { _, _ in .use(passwordCredential("bad")) }
        try run.go()
        #expect(run.outcome == .shown)
        #expect(run.requests == 2)
        #expect(run.questions.map(\.previousFailureCount) == [0, 1, 2, 3, 4])
    }

    // MARK: Redirects and proxies

    private func target(_ url: String) throws -> AuthenticationTarget {
        let url = try #require(URL(string: url))
        return try #require(AuthenticationTarget(origin: url))
    }

    private func refuse(
        _ tries: inout AuthenticationTries, _ target: AuthenticationTarget, realm: String = "r",
        stored: String? = nil
    ) -> AuthenticationTries.Step {
        let offers = AuthenticationOffer.offers(
            in: ["Basic realm=\"\(realm)\""], by: target, methods: [.basic])
        return tries.refused(by: target.role, offers: offers, requests: 1, proposed: nil) { _ in
            stored.map { passwordCredential($0) }
        }
    }

    private func hasSent(
        _ step: AuthenticationTries.Step, _ password: String, silently: Bool
    ) -> Bool {
        guard case .send(let attempt) = step else { return false }
        return attempt.credential.password == password && attempt.isSilent == silently
    }

    private func isQuestion(_ step: AuthenticationTries.Step) -> Bool {
        if case .ask = step { return true }
        return false
    }

    @Test func `a credential is sent within its origin and dropped when a redirect leaves it`()
        throws
    {
        let home = try target("http://one.test/a")
        for away in ["https://one.test/", "http://one.test:81/", "http://two.test/"] {
            var tries = AuthenticationTries()
            tries.moves(to: home)
            #expect(isQuestion(refuse(&tries, home)))
            #expect(
                hasSent(tries.answered(.use(passwordCredential("good"))), "good", silently: false))
            #expect(tries.received(status: 302).count == 1)
            tries.moves(to: try target("http://ONE.test:80/b"))
            #expect(tries.attempt(for: .origin)?.credential.password == "good")
            tries.moves(to: try target(away))
            #expect(tries.attempt(for: .origin) == nil)
            #expect(isQuestion(refuse(&tries, try target(away))))
            // Back again it was forgotten, too.
            tries.moves(to: home)
            #expect(tries.attempt(for: .origin) == nil)
            #expect(isQuestion(refuse(&tries, home)))
        }
    }

    @Test func `an answer that comes after the origin was left sends nothing`() throws {
        var tries = AuthenticationTries()
        tries.moves(to: try target("http://one.test/"))
        #expect(isQuestion(refuse(&tries, try target("http://one.test/"))))
        tries.moves(to: try target("http://two.test/"))
        guard case .show = tries.answered(.use(passwordCredential("good"))) else {
            Issue.record("sent to another origin")
            return
        }
    }

    @Test func `a space that accepted a credential in this load gets it again unasked`() throws {
        let home = try target("http://one.test/")
        var tries = AuthenticationTries()
        tries.moves(to: home)
        _ = refuse(&tries, home, realm: "a")
        _ = tries.answered(.use(passwordCredential("first")))
        _ = tries.received(status: 302)
        // It went on to another space, which refuses it for itself.
        #expect(isQuestion(refuse(&tries, home, realm: "b")))
        if case .send = tries.answered(.use(passwordCredential("first"))) {
            Issue.record("sent twice to one space")
        }
        #expect(isQuestion(refuse(&tries, home, realm: "b")))
        _ = tries.answered(.use(passwordCredential("second")))
        _ = tries.received(status: 302)
        #expect(hasSent(refuse(&tries, home, realm: "a"), "first", silently: true))
        #expect(tries.received(status: 200).isEmpty)
    }

    @Test func `a proxy's credential stays through redirects and is not the origin's`() throws {
        let proxy = AuthenticationTarget(
            proxy: "proxy.test", port: 8, type: NSURLProtectionSpaceHTTPProxy)
        let home = try target("http://one.test/")
        var tries = AuthenticationTries()
        tries.moves(to: home)
        #expect(hasSent(refuse(&tries, proxy, stored: "proxy"), "proxy", silently: true))
        #expect(tries.received(status: 401).isEmpty)
        #expect(isQuestion(refuse(&tries, home)))
        _ = tries.answered(.use(passwordCredential("good")))
        #expect(tries.attempt(for: .proxy)?.credential.password == "proxy")
        #expect(tries.received(status: 200).map(\.offer.space.host) == ["one.test"])
        tries.moves(to: try target("http://two.test/"))
        #expect(tries.attempt(for: .proxy)?.credential.password == "proxy")
        #expect(tries.attempt(for: .origin) == nil)
    }

    @Test func `an origin's 401 shows that the proxy let the request through`() throws {
        let proxy = AuthenticationTarget(
            proxy: "proxy.test", port: 8, type: NSURLProtectionSpaceHTTPProxy)
        var tries = AuthenticationTries()
        tries.moves(to: try target("http://one.test/"))
        #expect(isQuestion(refuse(&tries, proxy)))
        #expect(hasSent(tries.answered(.use(passwordCredential("good"))), "good", silently: false))
        #expect(tries.received(status: 407).isEmpty)
        #expect(tries.received(status: 401).map(\.offer.space.host) == ["proxy.test"])
    }

    @Test(arguments: [(200, 1), (204, 1), (304, 1), (401, 0), (403, 0), (407, 0), (500, 0)])
    func `only an answer that is good shows that a credential is`(
        status: Int, count: Int
    ) throws {
        let home = try target("http://one.test/")
        var tries = AuthenticationTries()
        tries.moves(to: home)
        _ = refuse(&tries, home)
        _ = tries.answered(.use(passwordCredential("good")))
        #expect(tries.received(status: status).count == count)
        #expect(tries.received(status: status).isEmpty)
    }
}
