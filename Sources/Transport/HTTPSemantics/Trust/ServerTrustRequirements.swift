package import Foundation
import Locking

/// What must be true of a server before any byte of a request is sent to it.
///
/// Each value has its own connection pool (`RunLoopTransport`), so a connection or TLS session that
/// was accepted under one value is never used under another.
package struct ServerTrustRequirements: Hashable, Sendable {
    /// What a pin is compared with.
    package enum Pinning: Hashable, Sendable {
        case none, publicKeys, certificates
    }

    /// Whether the chain must lead to an anchor, with every certificate in it valid.
    package var verifiesChain = true
    /// Whether the certificate must name the host of the request.
    package var verifiesHost = true
    /// The certificates to trust in place of the system's; nil means the system's.
    package var anchors: [Certificate]?
    package var pinning = Pinning.none
    /// The pins; one on the path from the server's certificate to an anchor suffices.
    package var pins: [Certificate] = []
    /// Whether all certificates on the path to a pin must be valid. Otherwise a pin counts where it
    /// is the server's own certificate, or where signatures lead to it, whatever the dates.
    package var verifiesPathToPin = true
    /// The authorities' revocation lists; without any, revocation is not checked.
    package var revocationLists: [CertificateRevocationList] = []
    /// The time to judge for; nil means now.
    package var time: Date?

    package init() {}

    /// Only the number of elements of arrays is hashed: they may be long, each request needs a
    /// hash, and a process has few different requirements.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(verifiesChain)
        hasher.combine(verifiesHost)
        hasher.combine(anchors?.count)
        hasher.combine(pinning)
        hasher.combine(pins.count)
        hasher.combine(verifiesPathToPin)
        hasher.combine(revocationLists.count)
        hasher.combine(time)
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
