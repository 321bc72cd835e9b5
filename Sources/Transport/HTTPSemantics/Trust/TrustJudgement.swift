import COpenSSL
package import Foundation
import Locking

/// Whether a server meets the requirements, and why.
package struct TrustJudgement: Hashable, Sendable {
    /// What a finding is about. The numbers never change.
    package enum Subject: Int, Hashable, Sendable {
        case chain = 1
        case host = 2
        case time = 3
        case pin = 4
        /// A requirement that is not met and was switched off.
        case override = 5
    }

    package struct Finding: Hashable, Sendable {
        package var subject: Subject
        /// Whether this finding alone refuses the server.
        package var isObjection: Bool
        package var sentence: String
    }

    package private(set) var findings: [Finding] = []
    /// The code of `URLError` for the first objection.
    package private(set) var errorCode: URLError.Code?
    private var hasValidChain = false
    private var hasMatchingName = false
    private var hasMatchingPin = false

    /// Whether chain, name and pins each have a positive finding. A missing finding refuses the
    /// server.
    package var isAccepted: Bool {
        hasValidChain && hasMatchingName && hasMatchingPin
            && !findings.contains(where: \.isObjection)
    }

    /// The objections in one line; empty when accepted.
    package var objections: String {
        findings.filter(\.isObjection).map(\.sentence).joined(separator: " ")
    }

    /// - Parameter host: the name that the certificate must have; nil: not checked.
    package init(
        of trust: ServerTrust, by requirements: ServerTrustRequirements, host: String?
    ) {
        let system = requirements.anchors == nil ? TrustAnchors.system : nil
        let question = JudgementMemory.Question(
            certificates: trust.certificates, requirements: requirements, host: host,
            system: system.map { ObjectIdentifier($0) })
        self = JudgementMemory.shared.answer(to: question) {
            let anchors = system ?? TrustAnchors(requirements.anchors ?? [])
            return TrustJudgement(trust, requirements, host, anchors)
        }
    }

    private init(
        _ trust: ServerTrust, _ requirements: ServerTrustRequirements, _ host: String?,
        _ anchors: TrustAnchors
    ) {
        guard let leaf = trust.certificates.first else {
            object(.chain, "The server showed no certificate.")
            return
        }
        let chain = ChainVerification(
            trust.certificates, anchors: anchors,
            revocationLists: requirements.revocationLists, at: requirements.time)
        judgeChain(chain, requirements)
        judgeHost(leaf, host, requirements)
        judgePins(trust, chain, requirements)
        let isKnown = chain.problems.contains(where: \.isRevocation)
        if !isKnown { judgeRevocation(leaf, requirements.revocationLists) }
    }

    /// A list names certificates of its own issuer, so it also counts where no path to the issuer
    /// was found and OpenSSL could not check the list.
    private mutating func judgeRevocation(_ leaf: Certificate, _ lists: [CertificateRevocationList])
    {
        guard lists.contains(where: { $0.names(leaf) }) else { return }
        let problem = ChainVerification.Problem(
            code: X509_V_ERR_CERT_REVOKED, depth: 0, subject: leaf.subject)
        object([problem], "The authority took it back", .chain)
    }

    private mutating func judgeChain(
        _ chain: ChainVerification, _ requirements: ServerTrustRequirements
    ) {
        if chain.isValid {
            hasValidChain = true
            note(.chain, "The chain is valid and ends at \(chain.chain.last?.subject ?? "").")
        } else if requirements.verifiesChain {
            object(chain.problems, "The chain is not valid", .chain)
        } else {
            hasValidChain = true
            object(chain.problems.filter(\.isRevocation), "The authority took it back", .chain)
            for problem in chain.problems where !problem.isRevocation {
                note(
                    .override,
                    "Invalid chains are allowed, so this does not count: \(problem.sentence).")
            }
        }
    }

    private mutating func judgeHost(
        _ leaf: Certificate, _ host: String?, _ requirements: ServerTrustRequirements
    ) {
        guard requirements.verifiesHost else {
            hasMatchingName = true
            return note(.override, "Host names are not checked.")
        }
        guard let host else {
            hasMatchingName = true
            return note(.override, "No host was given, so no name was checked.")
        }
        hasMatchingName = HostName.isNamed(
            host, by: leaf, allowsCommonName: !requirements.verifiesChain)
        if hasMatchingName {
            note(.host, "The certificate names \(host).")
        } else {
            object(.host, "The certificate (\(leaf.subject)) does not name \(host).")
        }
    }

    /// A pin counts where valid signatures lead from the server's certificate to it. It is not
    /// enough that the server sent the pinned certificate: any server can send a public certificate.
    private mutating func judgePins(
        _ trust: ServerTrust, _ chain: ChainVerification, _ requirements: ServerTrustRequirements
    ) {
        let shown = trust.certificates + chain.chain
        let anchors: [Certificate]
        switch requirements.pinning {
        case .none:
            hasMatchingPin = true
            return
        case .certificates:
            anchors = requirements.pins
        case .publicKeys:
            let keys = Set(requirements.pins.map(\.publicKey))
            anchors = (shown + requirements.pins).filter { keys.contains($0.publicKey) }
        }
        guard !requirements.pins.isEmpty else {
            return object(.pin, "Pinning is on and there is no pin, so no server can match.")
        }
        let way = ChainVerification(shown, anchors: TrustAnchors(anchors), at: requirements.time)
        hasMatchingPin = way.isValid
        if hasMatchingPin {
            note(.pin, "The chain matches the pin \(way.chain.last?.subject ?? "").")
        } else if !requirements.verifiesPathToPin, way.isLinked(toOneOf: anchors, from: shown) {
            hasMatchingPin = true
            note(.pin, "The chain has a pin.")
            for problem in way.problems {
                note(
                    .override,
                    "The path to a pin may be invalid, so this does not count: "
                        + "\(problem.sentence).")
            }
        } else {
            object(way.problems, "No valid chain leads to a pin", .pin)
        }
    }

    private mutating func note(_ subject: Subject, _ sentence: String) {
        findings.append(Finding(subject: subject, isObjection: false, sentence: sentence.printable))
    }

    private mutating func object(
        _ subject: Subject, _ sentence: String,
        _ code: URLError.Code = .serverCertificateUntrusted
    ) {
        errorCode = errorCode ?? code
        findings.append(Finding(subject: subject, isObjection: true, sentence: sentence.printable))
    }

    private mutating func object(
        _ problems: [ChainVerification.Problem], _ opening: String, _ subject: Subject
    ) {
        for problem in problems {
            object(
                problem.concernsTime ? .time : subject, "\(opening): \(problem.sentence).",
                problem.errorCode)
        }
    }
}

/// Caches judgements for the current second, so that many requests on one connection need one.
///
/// Certificate dates count whole seconds, so within one second the same certificates, host,
/// requirements and anchors are always judged alike.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the table, never while judging.
final class JudgementMemory: Sendable {
    struct Question: Hashable {
        var certificates: [Certificate]
        var requirements: ServerTrustRequirements
        var host: String?
        /// The system's anchors, which differ where the environment names others; nil where the
        /// requirements have their own.
        var system: ObjectIdentifier?
    }

    static let shared = JudgementMemory()

    private struct Table {
        var second = 0
        var known: [Question: TrustJudgement] = [:]
    }

    private let table = Locked(Table())
    private static let limit = 64

    func answer(
        to question: Question, at now: Date = Date(), judging: () -> TrustJudgement
    ) -> TrustJudgement {
        let current = Int(now.timeIntervalSince1970)
        if let known = recall(question, current) { return known }
        let judgement = judging()
        table.withLock {
            if $0.second == current, $0.known.count < Self.limit {
                $0.known[question] = judgement
            }
        }
        return judgement
    }

    private func recall(_ question: Question, _ current: Int) -> TrustJudgement? {
        table.withLock {
            if $0.second != current { $0 = Table(second: current) }
            return $0.known[question]
        }
    }
}
