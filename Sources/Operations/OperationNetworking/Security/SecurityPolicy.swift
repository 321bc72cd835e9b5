public import Foundation
public import HTTPSemantics
import Locking

/// Decides by a server's certificates whether requests may be sent to it.
///
/// A server is accepted if its chain is valid and ends at an anchor and its certificate names the host.
/// With pinning a valid chain must also lead to a pin; pinning weakens no other check.
/// `explain(_:forDomain:)` returns every reason.
///
/// - `allowInvalidCertificates` alone accepts any chain: self-signed, of an unknown root, expired.
///   The host name is still checked while `validatesDomainName` is on.
/// - With pinning it accepts chains that end at a pin instead of at an anchor, such as a server's
///   own self-signed certificate. Signatures, dates and the host name are still checked.
/// - Pinning without pins accepts nothing. `check()` throws before a connection is made, and
///   `pinning(_:to:)` makes no such policy.
/// - A certificate in `certificateRevocationLists` is refused, whatever else is allowed.
///
/// Copies are independent, and a change applies from the next request on. A policy from an archive is
/// not less strict than the default one.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the settings. Calls out on: nothing.
public final class SecurityPolicy: NSObject, NSCopying, NSSecureCoding, Sendable {
    private let settings: Locked<ServerTrustRequirements>

    /// What a server's certificates are compared with.
    public enum PinningMode: Int, Sendable {
        /// Nothing.
        case none
        /// The public keys of the pins, so a certificate renewed with its key still matches.
        case publicKey
        /// The pins themselves, byte for byte.
        case certificate
    }

    /// A new policy without pins; chain, dates and host name are checked.
    public static func `default`() -> SecurityPolicy {
        SecurityPolicy(pinningMode: .none)
    }

    /// Makes a policy that checks everything.
    ///
    /// - Parameters:
    ///   - pinningMode: fixed for the policy's life.
    ///   - pinnedCertificates: leaf, intermediate or root certificates, one of which must match. While
    ///     there are none, a policy with pinning refuses every server, and `check()` throws.
    public init(pinningMode: PinningMode, pinnedCertificates: [Certificate] = []) {
        var requirements = ServerTrustRequirements()
        requirements.pinning = pinningMode.requirement
        requirements.pins = pinnedCertificates.withoutRepetitions
        settings = Locked(requirements)
    }

    /// A policy with requirements that no public setting has.
    package init(_ requirements: ServerTrustRequirements) {
        settings = Locked(requirements)
    }

    // MARK: Settings

    /// The policy's requirements; connections under different ones are never shared.
    package var requirements: ServerTrustRequirements { settings.withLock { $0 } }

    /// What a server's certificates are compared with.
    public var pinningMode: PinningMode { PinningMode(requirements.pinning) }

    /// The certificates to compare with, without duplicates, in the order in which they were set.
    public var pinnedCertificates: [Certificate] {
        get { requirements.pins }
        set { settings.withLock { $0.pins = newValue.withoutRepetitions } }
    }

    /// Whether chains that do not end at an anchor are accepted; false at first. See the type.
    public var allowInvalidCertificates: Bool {
        get { !requirements.verifiesChain }
        set { settings.withLock { $0.verifiesChain = !newValue } }
    }

    /// Whether the certificate must name the host; true at first.
    public var validatesDomainName: Bool {
        get { requirements.verifiesHost }
        set { settings.withLock { $0.verifiesHost = newValue } }
    }

    /// Anchors that replace the system's. Nil, the initial value, means the system's.
    public var anchorCertificates: [Certificate]? {
        get { requirements.anchors }
        set { settings.withLock { $0.anchors = newValue } }
    }

    /// The certificate authorities' lists of revoked certificates. Without any, the initial value,
    /// revocation is not checked: no list is fetched, and no stapled OCSP response is requested.
    ///
    /// With lists, a server is refused unless a signed and current list of its authority covers its
    /// certificate (RFC 5280 section 6.3). Certificates of authorities are checked if there is a list.
    public var certificateRevocationLists: [CertificateRevocationList] {
        get { requirements.revocationLists }
        set { settings.withLock { $0.revocationLists = newValue } }
    }

    /// The time with which the dates of certificates are compared. Nil, the initial value, means now. For
    /// tests.
    public var verificationTime: Date? {
        get { requirements.time }
        set { settings.withLock { $0.time = newValue } }
    }

    // MARK: Evaluating

    /// Whether a server is accepted.
    ///
    /// - Parameter domain: the host that the certificate must name; with nil the name is not checked.
    public func evaluate(_ trust: ServerTrust, forDomain domain: String?) -> Bool {
        TrustJudgement(of: trust, by: requirements, host: domain).isAccepted
    }

    /// The verdict about a server, with every reason.
    public func explain(_ trust: ServerTrust, forDomain domain: String?) -> TrustVerdict {
        TrustVerdict(TrustJudgement(of: trust, by: requirements, host: domain))
    }

    // MARK: Copying and archiving

    /// An independent policy with the same settings.
    public func copy(with zone: NSZone? = nil) -> Any {
        SecurityPolicy(requirements)
    }

    /// True.
    public static var supportsSecureCoding: Bool { true }

    /// Archives the settings that make the policy stricter: mode, pins and revocation lists, and whether it
    /// has anchors of its own.
    public func encode(with coder: NSCoder) {
        let requirements = requirements
        coder.encode(value: pinningMode.rawValue, forKey: Key.mode)
        coder.encode(value: requirements.pins.map(\.der), forKey: Key.pins)
        coder.encode(value: requirements.revocationLists.map(\.der), forKey: Key.lists)
        coder.encode(value: requirements.anchors != nil, forKey: Key.hasAnchors)
    }

    /// Reads a policy that is not less strict than the default one, even from an archive that was changed.
    ///
    /// `allowInvalidCertificates`, `validatesDomainName` and `verificationTime` have their initial
    /// values. A policy that had anchors of its own has no anchors, so it refuses every server until the
    /// caller sets them again.
    ///
    /// - Returns: nil if a part is missing or cannot be read, or if there are pins and the mode would
    ///   ignore them.
    public init?(coder: NSCoder) {
        var requirements = ServerTrustRequirements()
        guard let number = coder.value(Int.self, forKey: Key.mode),
            let mode = PinningMode(rawValue: number),
            let pins = coder.elements(forKey: Key.pins, as: Certificate.init(der:)),
            let lists = coder.elements(
                forKey: Key.lists, as: CertificateRevocationList.init(der:)),
            let hasAnchors = coder.value(Bool.self, forKey: Key.hasAnchors),
            mode != .none || pins.isEmpty
        else { return nil }
        requirements.pinning = mode.requirement
        requirements.pins = pins
        requirements.revocationLists = lists
        requirements.anchors = hasAnchors ? [] : nil
        settings = Locked(requirements)
    }

    private enum Key {
        static let mode = "SSLPinningMode"
        static let pins = "pinnedCertificates"
        static let hasAnchors = "hasAnchorCertificates"
        static let lists = "certificateRevocationLists"
    }
}

extension SecurityPolicy.PinningMode {
    fileprivate init(_ requirement: ServerTrustRequirements.Pinning) {
        self =
            switch requirement {
            case .none: .none
            case .publicKeys: .publicKey
            case .certificates: .certificate
            }
    }

    fileprivate var requirement: ServerTrustRequirements.Pinning {
        switch self {
        case .none: .none
        case .publicKey: .publicKeys
        case .certificate: .certificates
        }
    }
}

extension [Certificate] {
    var withoutRepetitions: [Certificate] {
        var seen: Set<Certificate> = []
        return filter { seen.insert($0).inserted }
    }
}

extension NSCoder {
    /// Nil if the key is missing, or one of its values cannot be read.
    fileprivate func elements<Element>(
        forKey key: String, as read: (Data) throws -> Element
    ) -> [Element]? {
        try? value([Data].self, forKey: key)?.map(read)
    }
}

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
