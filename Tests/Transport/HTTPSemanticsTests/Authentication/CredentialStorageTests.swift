import Dispatch
import HTTPSemantics
import TestSupport

@Suite("The storage of credentials", .timeLimit(.minutes(1)))
struct CredentialStorageTests {
    private func space(
        _ host: String = "one.test", port: Int = 80, scheme: String = "http",
        realm: String? = "r", method: String = NSURLAuthenticationMethodHTTPBasic
    ) -> URLProtectionSpace {
        URLProtectionSpace(
            host: host, port: port, protocol: scheme, realm: realm, authenticationMethod: method)
    }

    private func credential(
        _ user: String = "user", _ password: String = "pass",
        _ persistence: URLCredential.Persistence = .forSession
    ) -> URLCredential {
        URLCredential(user: user, password: password, persistence: persistence)
    }

    @Test func `a space is found by its value`() {
        let storage = CredentialStorage()
        storage.set(credential(), for: space())
        #expect(storage.defaultCredential(for: space())?.password == "pass")
        #expect(storage.defaultCredential(for: space("ONE.Test", scheme: "HTTP")) != nil)
        let proxy = URLProtectionSpace(
            proxyHost: "one.test", port: 80, type: NSURLProtectionSpaceHTTPProxy, realm: "r",
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        for other in [
            space("two.test"), space(port: 81), space(scheme: "https"), space(realm: "R"),
            space(realm: nil), space(method: NSURLAuthenticationMethodHTTPDigest), proxy,
        ] {
            #expect(storage.defaultCredential(for: other) == nil)
            #expect(storage.credentials(for: other) == nil)
        }
    }

    @Test func `none is never kept, and the others are`() {
        for persistence in [URLCredential.Persistence.none, .forSession, .permanent] {
            let storage = CredentialStorage()
            storage.set(credential("u", "p", persistence), for: space())
            storage.setDefaultCredential(credential("u", "p", persistence), for: space())
            #expect((storage.defaultCredential(for: space()) != nil) == (persistence != .none))
            #expect(storage.allCredentials.isEmpty == (persistence == .none))
        }
    }

    @Test func `the first becomes the default, until another is made it`() {
        let storage = CredentialStorage()
        storage.set(credential("a"), for: space())
        storage.set(credential("b"), for: space())
        #expect(storage.defaultCredential(for: space())?.user == "a")
        storage.setDefaultCredential(credential("c"), for: space())
        #expect(storage.defaultCredential(for: space())?.user == "c")
        #expect(storage.credentials(for: space())?.keys.sorted() == ["a", "b", "c"])
        storage.set(credential("c", "new"), for: space())
        #expect(storage.defaultCredential(for: space())?.password == "new")
    }

    @Test func `what is removed is gone, and nothing else`() {
        let storage = CredentialStorage()
        storage.setDefaultCredential(credential("a"), for: space())
        storage.set(credential("b"), for: space())
        storage.set(credential("a"), for: space("two.test"))
        storage.remove(credential("a", "another"), for: space())
        storage.remove(credential("x"), for: space())
        #expect(storage.credentials(for: space())?.count == 2)
        storage.remove(credential("a"), for: space())
        #expect(storage.defaultCredential(for: space()) == nil)
        #expect(storage.credentials(for: space())?.keys.sorted() == ["b"])
        storage.remove(credential("b"), for: space())
        #expect(storage.credentials(for: space()) == nil)
        #expect(storage.allCredentials.map(\.space.host) == ["two.test"])
        storage.removeAll()
        #expect(storage.allCredentials.isEmpty)
    }

    @Test func `many threads may use it at once`() {
        let storage = CredentialStorage()
        DispatchQueue.concurrentPerform(iterations: 200) { index in
            let space = space(port: index % 7)
            storage.set(credential("u\(index)"), for: space)
            _ = storage.defaultCredential(for: space)
            if index % 3 == 0 { storage.remove(credential("u\(index)"), for: space) }
        }
        let kept = storage.allCredentials.flatMap { $0.credentials.keys }.count
        #expect(kept == (0..<200).count { $0 % 3 != 0 })
    }
}
