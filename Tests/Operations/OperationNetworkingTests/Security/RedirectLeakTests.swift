import CurlConnection
import OperationNetworking
import TestSupport

/// What belongs to an origin stays there, whatever a redirect looks like (wound 65).
@Suite("What a redirect takes along", .timeLimit(.minutes(5)))
struct RedirectLeakTests {
    enum Shape: String, CaseIterable, Sendable {
        case movedPermanently, found, seeOther, temporary, permanent
        case relativeThenAbsolute, otherPort, otherHost, toTLS, fromTLS, boomerang
        case protocolRelative, userInfo
    }

    enum Kind: String, CaseIterable, Sendable {
        case serializer, header, userInfo, cookieHeader, jar, basicCredential, digestCredential

        /// The challenge of the first server, before it redirects, and of the target.
        var challenge: String? {
            switch self {
            case .userInfo, .basicCredential: #"Basic realm="r""#
            case .digestCredential: #"Digest realm="r", nonce="n", qop="auth""#
            default: nil
            }
        }
    }

    private static let secret = "s3cr3t"

    @Test(arguments: Shape.allCases, Kind.allCases)
    func `R49, R50, R62, nothing of what belongs to the origin arrives where a redirect leads`(
        shape: Shape, kind: Kind
    ) async throws {
        let fields = kind.challenge.map { [("WWW-Authenticate", $0)] }
        let world = TestWorld.redirects { _ in
            fields.map { .text("target", status: 401, headers: $0) } ?? .text("target")
        }
        let (first, target) = prepare(shape, kind, world)
        var start = first.url("/start").absoluteString
        if kind == .userInfo {
            start = start.replacing("://", with: "://user:\(Self.secret)@", maxReplacements: 1)
        }
        give(kind, to: world.httpManager, for: first)
        let outcome = try await world.run(start) { operation in
            guard kind == .userInfo else { return }
            operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
                challenge.sender?.performDefaultHandling(for: challenge)
            }
        }

        // The first server knew the client, and the target was reached,
        #expect(first.requests.contains { $0.path == "/start" && $0.shows(Self.secret) })
        #expect(target.requests.map(\.path) == ["/target"])
        #expect(outcome.status == (shape != .boomerang && kind.challenge != nil ? 401 : 200))
        // which knows nothing of it. A cookie is for a host, whatever the port (RFC 6265 section
        // 8.5).
        let isSameHost = [.otherPort, .toTLS, .fromTLS].contains(shape)
        if kind != .jar || !isSameHost {
            #expect(!target.requests.contains { $0.shows(Self.secret) })
        }
    }

    /// - Returns: the server to begin at, and the one that must learn nothing.
    private func prepare(
        _ shape: Shape, _ kind: Kind, _ world: TestWorld
    ) -> (first: LoopbackServer, target: LoopbackServer) {
        let away = world.other.url("/target").absoluteString
        let (first, target, location, status): (LoopbackServer, LoopbackServer, String, Int) =
            switch shape {
            case .movedPermanently: (world.server, world.other, away, 301)
            case .found: (world.server, world.other, away, 302)
            case .seeOther: (world.server, world.other, away, 303)
            case .temporary: (world.server, world.other, away, 307)
            case .permanent: (world.server, world.other, away, 308)
            case .relativeThenAbsolute: (world.server, world.other, "near/by", 302)
            case .otherHost: (world.secure, world.secureOther, address(world.secureOther), 302)
            case .otherPort: (world.server, world.otherPort, address(world.otherPort), 302)
            case .toTLS: (world.server, world.secure, address(world.secure), 302)
            case .fromTLS: (world.secure, world.otherPort, address(world.otherPort), 302)
            case .boomerang: (world.server, world.other, away, 302)
            case .protocolRelative: (world.server, world.other, String(away.dropFirst(5)), 302)
            case .userInfo:
                (world.server, world.other, away.replacing("//", with: "//user:other@"), 302)
            }
        world.httpManager.configuration.followsRedirectsFromHTTPSToHTTP = shape == .fromTLS
        let challenge = kind.challenge.map { [("WWW-Authenticate", $0)] }
        first.add("/start") { request in
            if let challenge, request.headers["Authorization"] == nil {
                return .text("who?", status: 401, headers: challenge)
            }
            return .redirect(to: location, status: status)
        }
        first.add("/near/by") { _ in .redirect(to: away) }
        if shape == .boomerang {
            let back = world.server.url("/ok").absoluteString
            target.add("/target") { _ in .redirect(to: back) }
        }
        return (first, target)
    }

    private func address(_ server: LoopbackServer) -> String {
        server.url("/target").absoluteString
    }

    private func give(
        _ kind: Kind, to manager: HTTPRequestOperationManager, for server: LoopbackServer
    ) {
        switch kind {
        case .serializer:
            manager.requestSerializer.setAuthorizationHeaderField(
                username: "user", password: Self.secret)
        case .header:
            manager.requestSerializer.setValue(
                "Bearer \(Self.secret)", forHTTPHeaderField: "authorization")
        case .cookieHeader:
            manager.requestSerializer.setValue(
                "session=\(Self.secret)", forHTTPHeaderField: "cookie")
        case .jar:
            let cookie = HTTPCookie(properties: [
                .name: "session", .value: Self.secret, .path: "/", .domain: "127.0.0.1",
            ])
            cookie.map { manager.configuration.cookieStorage?.setCookie($0) }
        case .basicCredential, .digestCredential:
            manager.credential = URLCredential(
                user: "user", password: Self.secret, persistence: .forSession)
        case .userInfo:
            break
        }
    }

    @Test func `a Secure cookie of the jar does not follow a redirect from https to http`()
        async throws
    {
        let world = TestWorld.redirects()
        let target = address(world.otherPort)
        world.secure.add("/start") { _ in
            .text(
                "", status: 302,
                headers: [
                    ("Set-Cookie", "session=\(Self.secret); Secure; Path=/"), ("Location", target),
                ])
        }
        world.httpManager.configuration.followsRedirectsFromHTTPSToHTTP = true
        for _ in 0..<2 {
            let start = world.secure.url("/start").absoluteString
            #expect(try await world.run(start).text == "target")
        }
        #expect(world.secure.requests.last?.shows(Self.secret) == true)
        #expect(world.otherPort.requests.count == 2)
        #expect(!world.otherPort.requests.contains { $0.shows(Self.secret) })
    }

    @Test func `a credential that the storage kept for one origin does not answer another's`()
        async throws
    {
        let challenge = [("WWW-Authenticate", #"Basic realm="loopback""#)]
        let world = TestWorld.redirects { _ in .text("target", status: 401, headers: challenge) }
        world.httpManager.credential = URLCredential(
            user: "user", password: "pass", persistence: .forSession)
        let stored = try await world.run(world.address("/basic"))
        #expect(stored.text == "authorized")
        world.httpManager.credential = nil
        let kept = try await world.run(world.address("/basic"))
        #expect(kept.text == "authorized")
        for server in [world.otherPort, world.other, world.secure] {
            world.lead(to: address(server))
            #expect(try await world.run(world.start).status == 401)
            #expect(server.requests.map { $0.headers["Authorization"] } == [nil])
        }
    }

    @Test func `an upload that is repeated elsewhere takes its body along and no credential`()
        async throws
    {
        let world = TestWorld.redirects()
        for status in [307, 308] {
            world.other.resetLog()
            world.lead(to: address(world.other), status: status)
            let outcome = try await world.run(
                world.start, "POST",
                change: {
                    $0.httpBody = Data("the body".utf8)
                    $0.setValue("Bearer \(Self.secret)", forHTTPHeaderField: "Authorization")
                    $0.setValue("session=\(Self.secret)", forHTTPHeaderField: "Cookie")
                })
            #expect(outcome.text == "target")
            #expect(world.other.requests.map(\.method) == ["POST"])
            #expect(world.other.requests.map(\.body) == [Data("the body".utf8)])
            #expect(!world.other.requests.contains { $0.shows(Self.secret) })
        }
    }
}
