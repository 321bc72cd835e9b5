import HTTPSemantics

/// Whether a policy accepts a server, and every reason.
public struct TrustVerdict: Sendable, Hashable, CustomStringConvertible {
    /// The result of one check.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        /// What was checked. The numbers never change.
        public enum Kind: Int, Sendable, CaseIterable {
            /// Whether signatures lead from the server's certificate to an anchor.
            case chain = 1
            /// Whether the certificate names the host.
            case host = 2
            /// A certificate that has expired or is not valid yet.
            case time = 3
            /// Whether the chain matches a pin.
            case pin = 4
            /// A check that a setting switched off.
            case override = 5
        }

        /// What was checked.
        public let kind: Kind
        /// Whether this reason alone is enough to refuse the server.
        public let isObjection: Bool
        /// A sentence. Names in it come from the certificates, and may be false.
        public let sentence: String

        /// Number, word and sentence.
        public var description: String {
            "\(kind.rawValue) \(kind)\(isObjection ? ", refused" : ""): \(sentence)"
        }
    }

    /// Whether the server is accepted.
    public let isAccepted: Bool
    /// The reasons in the order chain, host, pin.
    public let reasons: [Reason]

    init(_ judgement: TrustJudgement) {
        isAccepted = judgement.isAccepted
        reasons = judgement.findings.map {
            Reason(
                kind: Reason.Kind($0.subject), isObjection: $0.isObjection, sentence: $0.sentence)
        }
    }

    /// A line with the outcome, and one for each reason.
    public var description: String {
        ([isAccepted ? "accepted" : "refused"] + reasons.map(\.description))
            .joined(separator: "\n")
    }
}

extension TrustVerdict.Reason.Kind {
    fileprivate init(_ subject: TrustJudgement.Subject) {
        self =
            switch subject {
            case .chain: .chain
            case .host: .host
            case .time: .time
            case .pin: .pin
            case .override: .override
            }
    }
}
