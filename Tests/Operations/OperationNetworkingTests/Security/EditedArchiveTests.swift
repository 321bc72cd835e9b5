import CurlConnection
import TLSPeer
import TestSupport

@testable import OperationNetworking

/// What comes of an archive that somebody has edited: no policy is laxer than the default one.
@Suite("Edited archives", .timeLimit(.minutes(5)))
struct EditedArchiveTests {
    private let pinned: SecurityPolicy

    init() throws {
        let cast = try Cast()
        pinned = SecurityPolicy(
            pinningMode: .publicKey, pinnedCertificates: [cast.good.certificate])
        pinned.certificateRevocationLists = [try cast.middle.revocationList()]
    }

    private func read<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type, _ data: Data
    ) -> Object? {
        try? NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
    }

    private func isNoLaxer(_ policy: SecurityPolicy) -> Bool {
        !policy.allowInvalidCertificates && policy.validatesDomainName
            && policy.verificationTime == nil && policy.anchorCertificates?.isEmpty != false
    }

    /// A member away, or its value as an attacker would have it.
    private func lax(_ key: String, _ value: Any) -> [Any?] {
        // A class is Foundation's to look for.
        if key.hasPrefix("$") { return [] }
        var others: [Any?] = [nil]
        if value is NSNumber { others += [true, false, 0, 1, 2, -1] }
        if value is Data {
            others += [
                ArchiveEdit.bytes(of: true), ArchiveEdit.bytes(of: false), ArchiveEdit.bytes(of: 0),
                ArchiveEdit.bytes(of: [Int]()), ArchiveEdit.bytes(of: ["x"]), Data(),
            ]
        }
        return others
    }

    /// The members without which nothing comes of an archive.
    private func needed<Object: NSObject & NSSecureCoding>(
        by type: Object.Type, _ data: Data
    ) -> Set<String> {
        let edits = ArchiveEdit.each(of: data) { key, _ in key.hasPrefix("$") ? [] : [nil] }
        return Set(edits.filter { read(type, $0.data) == nil }.map(\.key))
    }

    @Test
    func `a lax policy comes back strict; the caller makes it lax again`() throws {
        let policy = SecurityPolicy.default()
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        policy.verificationTime = Date(timeIntervalSince1970: 0)
        let read = try #require(self.read(SecurityPolicy.self, archived(policy)))
        #expect(read.requirements == SecurityPolicy.default().requirements)
    }

    @Test
    func `where there were anchors of one's own, every server is refused`() throws {
        let cast = try Cast()
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [cast.root.certificate]
        let trust = cast.trust(cast.good)
        #expect(policy.evaluate(trust, forDomain: nil))
        let read = try #require(self.read(SecurityPolicy.self, archived(policy)))
        #expect(read.anchorCertificates == [])
        #expect(!read.evaluate(trust, forDomain: nil))
    }

    @Test
    func `no edit of one member makes a policy laxer than the default one, or stops the process`()
        throws
    {
        let data = try archived(pinned)
        #expect(read(SecurityPolicy.self, data)?.requirements == pinned.requirements)
        #expect(
            needed(by: SecurityPolicy.self, data) == [
                "SSLPinningMode", "certificateRevocationLists", "hasAnchorCertificates",
                "pinnedCertificates",
            ])
        for edit in ArchiveEdit.each(of: data, lax) {
            guard let policy = read(SecurityPolicy.self, edit.data) else { continue }
            #expect(isNoLaxer(policy), "\(edit.key)")
            let looksAtPins = policy.pinningMode != .none || policy.pinnedCertificates.isEmpty
            #expect(looksAtPins, "\(edit.key)")
        }
    }

    @Test
    func `an operation without its policy, or with a laxer one, does not come of an archive`()
        throws
    {
        let url = try #require(URL(string: "https://127.0.0.1/"))
        let operation = HTTPRequestOperation(request: URLRequest(url: url))
        operation.responseSerializer = JSONResponseSerializer()
        operation.securityPolicy = pinned
        operation.credential = URLCredential(user: "u", password: "p", persistence: .forSession)
        let data = try archived(operation)
        #expect(read(HTTPRequestOperation.self, data) != nil)
        for edit in ArchiveEdit.each(of: data, lax) {
            guard let read = read(HTTPRequestOperation.self, edit.data) else { continue }
            #expect(isNoLaxer(read.securityPolicy), "\(edit.key)")
            #expect(read.securityPolicy.pinningMode != .none, "\(edit.key)")
        }
        #expect(
            needed(by: HTTPRequestOperation.self, data).isSuperset(of: [
                "request", "responseSerializer", "securityPolicy", "configuration",
            ]))
    }

    @Test
    func `nor does a manager`() throws {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://127.0.0.1/"))
        manager.securityPolicy = pinned
        let data = try archived(manager)
        #expect(read(HTTPRequestOperationManager.self, data) != nil)
        for edit in ArchiveEdit.each(of: data, lax) {
            guard let read = read(HTTPRequestOperationManager.self, edit.data) else { continue }
            #expect(isNoLaxer(read.securityPolicy), "\(edit.key)")
            #expect(read.securityPolicy.pinningMode != .none, "\(edit.key)")
        }
        #expect(
            needed(by: HTTPRequestOperationManager.self, data).isSuperset(of: [
                "requestSerializer", "responseSerializer", "securityPolicy", "configuration",
            ]))
    }

    @Test
    func `a configuration with a number below zero gives nothing`() throws {
        let url = try #require(URL(string: "https://127.0.0.1/"))
        let operation = HTTPRequestOperation(request: URLRequest(url: url))
        operation.configuration.limits.redirects = -1
        #expect(read(HTTPRequestOperation.self, try archived(operation)) == nil)
    }

    @Test
    func `no credential is in an archive, and none comes of one`() throws {
        let credential = URLCredential(
            user: "theuser", password: "thepassword", persistence: .forSession)
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.credential = credential
        let url = try #require(URL(string: "http://127.0.0.1/"))
        let operation = HTTPRequestOperation(request: URLRequest(url: url))
        operation.credential = credential
        for data in [try archived(manager), try archived(operation)] {
            #expect(data.range(of: Data("thepassword".utf8)) == nil)
            #expect(data.range(of: Data("theuser".utf8)) == nil)
        }
        #expect(read(HTTPRequestOperation.self, try archived(operation))?.credential == nil)
        #expect(read(HTTPRequestOperationManager.self, try archived(manager))?.credential == nil)
    }
}
