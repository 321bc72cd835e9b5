import TestSupport

@testable import CurlConnection

@Suite("Realms that a server invents", .timeLimit(.minutes(5)))
struct RealmTests {
    private let storage = CredentialStorage()

    @Test func `one for each request fills no storage, and what the caller stored stays`() throws {
        try withWorld { world in
            let mine = URLProtectionSpace(
                host: "127.0.0.1", port: Int(world.server.port), protocol: "http", realm: "mine",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
            storage.set(
                URLCredential(user: "me", password: "mine", persistence: .forSession), for: mine)
            let count = Box(0)
            world.server.add("/invented") { request in
                guard request.headers["Authorization"] == nil else { return .text("in") }
                count.value = (count.value ?? 0) + 1
                return .text(
                    "no", status: 401,
                    headers: [("WWW-Authenticate", "Basic realm=\"\(count.value ?? 0)\"")])
            }
            for _ in 0..<100 {
                let recorder = Recorder()
                recorder.onChallenge = { challenge in
                    challenge.sender?.use(
                        URLCredential(user: "user", password: "pass", persistence: .forSession),
                        for: challenge)
                }
                let storage = storage
                world.thread.start(world.request("/invented"), recorder) {
                    $0.configuration.credentialStorage = storage
                }
                #expect(recorder.atEnd().status == 200)
            }
            #expect(storage.allCredentials.count <= 33)
            #expect(storage.defaultCredential(for: mine)?.password == "mine")
        }
    }
}
