import Foundation
import FoundationNetworking
import HTTPSemantics
import Lessons
import LoopbackServer
import OperationNetworking

/// Lesson 11: what a security policy checks with each setting.
enum TrustExperiment {
    /// The pinned server, and others whose certificates differ from its own.
    private struct Servers {
        let authority: TLSIdentity
        let all: [(what: Words, identity: TLSIdentity)]
        /// The pinned certificate: the good server's.
        var pin: TLSIdentity { all[0].identity }

        init() throws {
            authority = try TLSIdentity(.authority("lesson 11"))
            let good = try TLSIdentity(.loopback, signedBy: authority)
            var form = TLSIdentity.Form.loopback
            form.key = good
            let renewed = try TLSIdentity(form, signedBy: authority)
            form.end = -3_600
            let expired = try TLSIdentity(form, signedBy: authority)
            form = TLSIdentity.Form("example.org", names: "DNS:example.org")
            form.key = good
            let misnamed = try TLSIdentity(form, signedBy: authority)
            let other = try TLSIdentity(.loopback, signedBy: authority)
            let stranger = try TLSIdentity(.loopback)
            all = [
                (Words("the server that was pinned", "被固定证书的服务器"), good),
                (Words("its certificate was renewed, with its key", "证书已更新，密钥不变"), renewed),
                (Words("its certificate has expired", "证书已过期"), expired),
                (Words("its certificate names another host", "证书上是另一个主机名"), misnamed),
                (Words("another server of the same authority", "同一 CA 签发的另一台服务器"), other),
                (Words("a server that signed its own certificate", "自签名的陌生服务器"), stranger),
            ]
        }

        func policies() throws -> [(name: String, policy: SecurityPolicy)] {
            let pin = try Certificate(der: pin.der)
            let modes: [(String, SecurityPolicy.PinningMode, allows: Bool)] = [
                ("none", .none, false), ("allowInvalid", .none, true),
                ("certificate", .certificate, false), ("publicKey", .publicKey, false),
                ("publicKeyAllowInvalid", .publicKey, true),
            ]
            return try modes.map { name, mode, allows in
                let pins = mode == .none ? [] : [pin]
                let policy = SecurityPolicy(pinningMode: mode, pinnedCertificates: pins)
                policy.anchorCertificates = [try Certificate(der: authority.der)]
                policy.allowInvalidCertificates = allows
                return (name, policy)
            }
        }
    }

    static func run() throws -> ExperimentResult {
        let servers = try Servers()
        let policies = try servers.policies()
        // A column for each policy, with a value for each server.
        let columns = try policies.map { name, policy in
            try servers.all.map { try isAccepted($0.identity, by: policy, name) }
        }
        let facts = servers.all.indices.map { row in
            ExperimentResult.Fact(servers.all[row].what, columns.map { $0[row] })
        }
        return ExperimentResult(
            variants: policies.map(\.name), facts: facts, answer: columns[4][2] ? 1 : 2)
    }

    private static func isAccepted(
        _ identity: TLSIdentity, by policy: SecurityPolicy, _ name: String
    ) throws -> Bool {
        try withServer(of: name, tls: TLSSettings(identity)) { server in
            let outcome = Outcome<Bool>()
            let manager = connectionManager(server)
            manager.securityPolicy = policy
            manager.get("plain") { _, _ in
                outcome.comes(true)
            } failure: { _, _ in
                outcome.comes(false)
            }
            return outcome.wait() ?? false
        }
    }
}
