import ProcessUse
import TestSupport

@testable import CurlConnection
@testable import HTTPSemantics

@Suite("Credentials that servers make a storage learn", .serialized, .timeLimit(.minutes(5)))
struct CredentialGrowthTests {
    private let storage = CredentialStorage()

    private func space(_ host: String = "h.test", realm: String = "r") -> URLProtectionSpace {
        URLProtectionSpace(
            host: host, port: 80, protocol: "http", realm: realm,
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    }

    private func credential(
        _ user: String = "user", _ password: String = "pass"
    ) -> URLCredential {
        URLCredential(user: user, password: password, persistence: .forSession)
    }

    @Test func `distinct realms of one server: memory and time are flat`() {
        let credential = credential()
        let growth = Growth(Growth.count(40_000)) { number in
            storage.remember(credential, for: space(realm: "realm \(number)"))
            _ = storage.defaultCredential(for: space(realm: "realm \(number - 3)"))
        }
        #expect(growth.bytes < 400_000, "\(growth)")
        #expect(growth.isTimeFlat, "\(growth)")
        #expect(storage.allCredentials.count <= 2 * LearnedCredentials.spaceLimit)
    }

    @Test func `distinct servers: memory and time are flat`() {
        let credential = credential()
        let growth = Growth(Growth.count(40_000)) { number in
            storage.remember(credential, for: space("h\(number).test"))
            _ = storage.defaultCredential(for: space("h\(number - 100).test"))
        }
        #expect(growth.bytes < 400_000, "\(growth)")
        #expect(growth.isTimeFlat, "\(growth)")
        #expect(storage.allCredentials.count <= 2 * LearnedCredentials.serverLimit)
    }

    @Test func `what the caller stores: time is flat however much there is`() {
        let credential = credential()
        let growth = Growth(Growth.count(20_000)) { number in
            storage.set(credential, for: space("h\(number).test"))
        }
        #expect(growth.isTimeFlat, "\(growth)")
        #expect(storage.allCredentials.count == 10 * max(1, Growth.count(20_000) / 10))
    }

    @Test func `those used last stay, of a server and of all servers`() {
        storage.remember(credential("first"), for: space("used.test", realm: "a"))
        for number in 0..<1_000 {
            storage.remember(credential(), for: space("h\(number).test"))
            storage.remember(credential(), for: space("used.test", realm: "\(number)"))
            #expect(
                storage.defaultCredential(for: space("used.test", realm: "a"))?.user == "first")
        }
        for number in 1_000 - LearnedCredentials.serverLimit + 1..<1_000 {
            #expect(storage.defaultCredential(for: space("h\(number).test")) != nil)
        }
        #expect(storage.defaultCredential(for: space("h0.test")) == nil)
        #expect(storage.defaultCredential(for: space("used.test", realm: "999")) != nil)
        #expect(storage.defaultCredential(for: space("used.test", realm: "0")) == nil)
    }

    @Test func `what the caller stored stays whatever is learned, and takes what was learned`() {
        storage.remember(credential("learned"), for: space())
        storage.set(credential("own"), for: space())
        #expect(storage.defaultCredential(for: space())?.user == "learned")
        #expect(storage.credentials(for: space())?.keys.sorted() == ["learned", "own"])
        for number in 0..<1_000 {
            storage.remember(credential(), for: space(realm: "\(number)"))
            storage.remember(credential(), for: space("h\(number).test"))
        }
        #expect(storage.credentials(for: space())?.keys.sorted() == ["learned", "own"])
        storage.remember(credential("later"), for: space())
        #expect(storage.defaultCredential(for: space())?.user == "later")
        let ours = storage.allCredentials.filter { $0.space.realm == "r" }
        #expect(ours.count { $0.space.host == "h.test" } == 1)
    }

    @Test func `what was learned is found, replaced and removed as if the caller had stored it`() {
        storage.remember(credential("a", "1"), for: space())
        #expect(storage.credentials(for: space())?.mapValues(\.password) == ["a": "1"])
        storage.remember(credential("a", "2"), for: space())
        #expect(storage.defaultCredential(for: space())?.password == "2")
        storage.remove(credential("a", "1"), for: space())
        #expect(storage.defaultCredential(for: space())?.password == "2")
        storage.remove(credential("a", "2"), for: space())
        #expect(storage.defaultCredential(for: space()) == nil)
        storage.remember(credential("a", "3"), for: space())
        storage.removeAll()
        #expect(storage.allCredentials.isEmpty)
        storage.remember(
            URLCredential(user: "u", password: "p", persistence: .none), for: space())
        #expect(storage.allCredentials.isEmpty)
    }

    @Test func `a realm that is too long to keep is not kept, and an older answer for it goes`() {
        let realm = String(repeating: "r", count: LearnedCredentials.realmLimit + 1)
        storage.remember(credential(), for: space(realm: realm))
        #expect(storage.allCredentials.isEmpty)
        storage.remember(credential(), for: space(realm: String(realm.dropLast())))
        #expect(storage.allCredentials.count == 1)
    }
}
