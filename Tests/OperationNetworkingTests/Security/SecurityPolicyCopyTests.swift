import CurlConnection
import Foundation
import TLSPeer
import Testing

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

    private func archived(_ policy: SecurityPolicy) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: policy, requiringSecureCoding: true)
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

    @Test func `an archive keeps every setting`() throws {
        for policy in [try changed(), .default(), SecurityPolicy(pinningMode: .certificate)] {
            #expect(try read(archived(policy))?.requirements == policy.requirements)
        }
    }

    @Test func `an archive with a part missing or broken gives no policy`() throws {
        let keys = [
            "SSLPinningMode", "allowInvalidCertificates", "validatesDomainName",
            "pinnedCertificates", "certificateRevocationLists",
        ]
        let whole = try archived(changed())
        for key in keys {
            let cut = try edit(whole) { $0[key] = nil }
            #expect(read(cut) == nil, "\(key)")
        }
        #expect(try read(edit(whole) { $0["SSLPinningMode"] = 7 }) == nil)
        let policy = try changed()
        let parts = [
            policy.pinnedCertificates.first?.der, policy.anchorCertificates?.first?.der,
            policy.certificateRevocationLists.first?.der,
        ]
        for part in parts {
            let broken = try archived(policy, breaking: #require(part))
            #expect(read(broken) == nil)
        }
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

    /// Changes the archived policy's own dictionary.
    private func edit(_ data: Data, _ change: (inout [String: Any]) -> Void) throws -> Data {
        var format = PropertyListSerialization.PropertyListFormat.binary
        let list = try PropertyListSerialization.propertyList(from: data, format: &format)
        var archive = try #require(list as? [String: Any])
        var objects = try #require(archive["$objects"] as? [Any])
        let index = try #require(
            objects.firstIndex { ($0 as? [String: Any])?["SSLPinningMode"] != nil })
        var policy = try #require(objects[index] as? [String: Any])
        change(&policy)
        objects[index] = policy
        archive["$objects"] = objects
        return try PropertyListSerialization.data(
            fromPropertyList: archive, format: format, options: 0)
    }

    /// Archives a policy in which something else stands in place of one of its parts.
    private func archived(_ policy: SecurityPolicy, breaking part: Data) throws -> Data {
        let whole = try archived(policy)
        var format = PropertyListSerialization.PropertyListFormat.binary
        let list = try PropertyListSerialization.propertyList(from: whole, format: &format)
        var archive = try #require(list as? [String: Any])
        let objects = try #require(archive["$objects"] as? [Any])
        #expect(objects.contains { ($0 as? Data) == part })
        archive["$objects"] = objects.map { ($0 as? Data) == part ? Data("broken".utf8) : $0 }
        return try PropertyListSerialization.data(
            fromPropertyList: archive, format: format, options: 0)
    }
}
