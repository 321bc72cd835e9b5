import Foundation
import FoundationNetworking
import HTTPSemantics
import LoopbackServer
import OperationNetworking
import RequestEra
import SessionEra

struct TrustByPolicy: FoundationScenario {
    let id = "trust-by-policy"
    let title = "A server that signed its own certificate, pinned or not"
    let question = "Is a server trusted because a policy says so?"
    let changes = [
        Change(
            .design,
            "A manager has one policy for all hosts, and a request's session one for each host. "
                + "A server that is refused is -1012 in the connection era, as a login that was "
                + "cancelled; a manager has an error for it; a request that a policy refuses is "
                + "cancelled, and a host without a policy is left to the transport.",
            source: "an operation's refusal (AU-3), a manager's (UM-19), a host's policy (AL-32)",
            differences: [
                .init(
                    "no pin", in: .session, was: "NSURLErrorDomain -1012",
                    is: "NSURLErrorDomain -1202"),
                .init(
                    "other pin", in: .session, was: "NSURLErrorDomain -1012",
                    is: "NSURLErrorDomain -1202"),
                .init(
                    "no pin", in: .request, was: "NSURLErrorDomain -1012",
                    is: "NSURLErrorDomain -1202"),
                .init(
                    "other pin", in: .request, was: "NSURLErrorDomain -1012",
                    is: "NSURLErrorDomain -999"),
            ]),
        Change(
            .foundation,
            "URLSession on Linux asks no delegate about a certificate, so a program cannot pin one: a "
                + "server that signed its own fails before anything is sent.",
            source: "no delegate is asked about a server's certificate (LX-13)",
            differences: [
                .init(
                    "server pin", in: .foundation, was: "hello world",
                    is: "NSURLErrorDomain -1"),
                .init(
                    "other pin", in: .foundation, was: "NSURLErrorDomain -1202",
                    is: "NSURLErrorDomain -1"),
                .init(
                    "no pin", in: .foundation, was: "NSURLErrorDomain -1202",
                    is: "NSURLErrorDomain -1"),
                .init("requests", in: .foundation, was: "1 GET /ok", is: "none"),
            ]),
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
            let manager = HTTPSessionManager(baseURL: stage.baseURL)
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

    func foundationEra(_ stage: Stage) throws {
        for name in ["server", "other", "no"] {
            let pin = try? Data(contentsOf: stage.file("\(name).cer"))
            let session = URLSession(
                configuration: .default, delegate: Pinning(pin), delegateQueue: nil)
            session.dataTask(with: stage.url("/ok")) { data, _, error in
                stage.outcome("\(name) pin", error ?? data)
            }.resume()
        }
        stage.ends(after: 3)
    }
}

/// Accepts every server if there is a pin, and is never called.
private final class Pinning: NSObject, URLSessionDelegate {
    private let pin: Data?

    init(_ pin: Data?) {
        self.pin = pin
    }

    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        completionHandler(pin == nil ? .performDefaultHandling : .useCredential, nil)
    }
}
