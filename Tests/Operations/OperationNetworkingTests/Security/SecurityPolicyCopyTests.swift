import CurlConnection
import TLSPeer
import TestSupport

@testable import OperationNetworking

@Suite("A copied or archived policy", .timeLimit(.minutes(5)))
struct SecurityPolicyCopyTests {
    /// A policy in which nothing is as it was at first.
    private func changed() throws -> SecurityPolicy {
        let cast = try Cast()
        let policy = SecurityPolicy(
            pinningMode: .publicKey, pinnedCertificates: [cast.good.certificate])
        policy.allowInvalidCertificates = true
        policy.validatesDomainName = false
        policy.anchorCertificates = [cast.root.certificate]
        policy.certificateRevocationLists = [try cast.middle.revocationList()]
        policy.verificationTime = Date(timeIntervalSince1970: 1_000_000_000)
        return policy
    }

    /// Nil for an archive that cannot be read, which Foundation throws for.
    private func read(_ data: Data) -> SecurityPolicy? {
        try? NSKeyedUnarchiver.unarchivedObject(ofClass: SecurityPolicy.self, from: data)
    }

    @Test func `a copy keeps every setting and changes by itself`() throws {
        let policy = try changed()
        let copy = try #require(policy.copy() as? SecurityPolicy)
        #expect(copy !== policy)
        #expect(copy.requirements == policy.requirements)
        copy.pinnedCertificates = []
        #expect(policy.pinnedCertificates.count == 1)
    }

    @Test func `an archive keeps what makes a policy stricter`() throws {
        let policy = try changed()
        let read = try #require(self.read(archived(policy)))
        #expect(read.pinningMode == policy.pinningMode)
        #expect(read.pinnedCertificates == policy.pinnedCertificates)
        #expect(read.certificateRevocationLists == policy.certificateRevocationLists)
        for policy in [SecurityPolicy.default(), SecurityPolicy(pinningMode: .certificate)] {
            #expect(try self.read(archived(policy))?.requirements == policy.requirements)
        }
    }

    @Test func `an archive with a part missing or broken gives no policy`() throws {
        let keys = [
            "SSLPinningMode", "pinnedCertificates", "certificateRevocationLists",
            "hasAnchorCertificates",
        ]
        let whole = try archived(changed())
        for key in keys {
            let others: [Any?] = [nil, Data(), "x", 1, ArchiveEdit.bytes(of: ["x"])]
            let edits = ArchiveEdit.each(of: whole) { name, _ in name == key ? others : [] }
            #expect(edits.count == others.count)
            for edit in edits { #expect(read(edit.data) == nil, "\(key)") }
        }
        let modes = ArchiveEdit.each(of: whole) { key, _ in
            key == "SSLPinningMode" ? [7, -1, 0].map { ArchiveEdit.bytes(of: $0) } : []
        }
        #expect(modes.count == 3)
        for mode in modes { #expect(read(mode.data) == nil) }
        let broken = ArchiveEdit.each(of: whole) { key, _ in
            let isList = key == "pinnedCertificates" || key == "certificateRevocationLists"
            return isList ? [ArchiveEdit.bytes(of: [Data("broken".utf8)])] : []
        }
        #expect(broken.count == 2)
        for edit in broken { #expect(read(edit.data) == nil) }
    }

    @Test func `repeated pins count once, in their order`() throws {
        let certificates = try ["a", "b", "c"].map { try Identity(.init($0)).certificate }
        let repeated = [2, 0, 2, 1, 0].map { certificates[$0] }
        let expected = [2, 0, 1].map { certificates[$0] }
        let policy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: repeated)
        #expect(policy.pinnedCertificates == expected)
        policy.pinnedCertificates = repeated.reversed()
        #expect(policy.pinnedCertificates == [0, 1, 2].map { certificates[$0] })
    }
}
