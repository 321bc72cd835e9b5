import Foundation
import FoundationNetworking
import HTTPSemantics
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct TrustByPolicy: Scenario {
    let id = "trust-by-policy"
    let title = "A server that signed its own certificate, pinned or not"
    let question = "Is a server trusted because a policy says so?"
    let changes = [
        Change(
            .design,
            "A manager has one policy for all hosts, and a request's session one for each host. "
                + "Each era has its own error for a server that is refused.",
            source: "an operation's refusal (AU-3), a manager's (UM-19), a host's policy (AL-32)",
            differences: []),
        Change(
            .foundation,
            "URLSession on Linux asks nobody about a certificate, so a task under a policy fails "
                + "before anything is sent.",
            source: "nobody is asked about a server's certificate (LX-13)",
            differences: []),
    ]

    func server(in folder: URL) throws -> LoopbackServer {
        let identity = try TLSIdentity(.loopback)
        try identity.der.write(to: folder.appendingPathComponent("server.cer"))
        try TLSIdentity(.loopback).der.write(to: folder.appendingPathComponent("other.cer"))
        return LoopbackServer(routes: routes, tls: TLSSettings(identity))
    }

    func connectionEra(_ stage: Stage) throws {
        for name in ["server", "other", "no"] {
            let manager = HTTPRequestOperationManager(baseURL: stage.baseURL)
            manager.responseSerializer = HTTPResponseSerializer()
            if name != "no" {
                let pin = try Certificate(der: Data(contentsOf: stage.file("\(name).cer")))
                manager.securityPolicy = SecurityPolicy(
                    pinningMode: .certificate, pinnedCertificates: [pin])
                manager.securityPolicy.allowInvalidCertificates = true
            }
            manager.get("ok") { _, data in
                stage.outcome("\(name) pin", data)
            } failure: { _, error in
                stage.outcome("\(name) pin", error)
            }
        }
        stage.ends(after: 3)
    }

    func sessionEra(_ stage: Stage) throws {
        for name in ["server", "other", "no"] {
            let manager = HTTPSessionManager(baseURL: stage.baseURL, transport: stage.transport)
            manager.responseSerializer = HTTPResponseSerializer()
            if name != "no" {
                let pin = try Certificate(der: Data(contentsOf: stage.file("\(name).cer")))
                manager.securityPolicy = SecurityPolicy(
                    pinningMode: .certificate, pinnedCertificates: [pin])
                manager.securityPolicy.allowInvalidCertificates = true
            }
            manager.get("ok", progress: nil) { _, data in
                stage.outcome("\(name) pin", data)
            } failure: { _, error in
                stage.outcome("\(name) pin", error)
            }
        }
        stage.ends(after: 3)
    }

    func requestEra(_ stage: Stage) throws {
        for name in ["server", "other", "no"] {
            var policies: [String: ServerTrustPolicy] = [:]
            if name != "no" {
                let pin = try Certificate(der: Data(contentsOf: stage.file("\(name).cer")))
                policies["127.0.0.1"] = .pinCertificates(
                    certificates: [pin], validateCertificateChain: true, validateHost: true)
            }
            let manager = stage.keep(
                SessionManager(
                    serverTrustPolicyManager: ServerTrustPolicyManager(policies: policies)))
            manager.request(stage.url("/ok")).responseData { response in
                stage.outcome("\(name) pin", response.error ?? response.value)
            }
        }
        stage.ends(after: 3)
    }
}
