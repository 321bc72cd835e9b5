public import CurlConnection
public import Foundation

/// Decides whether to talk to a server, from the certificates it shows.
///
/// A server is accepted when its chain is valid and ends at an anchor, its certificate names the
/// host, and, where pinning is on, a valid chain leads to a pin. Pins are an addition: no mode and
/// no switch makes another check weaker. `explain(_:forDomain:)` gives every reason.
///
/// - `allowInvalidCertificates` alone accepts any chain: self-signed, of an unknown root, expired.
///   The name still counts while `validatesDomainName` is on.
/// - With pinning it accepts chains that end at a pin instead of at an anchor, such as a server's
///   own self-signed certificate. Signatures, dates and name still count.
/// - Pinning without pins accepts nothing (SP-8); `check()` says so before a server is asked, and
///   `pinning(_:to:)` makes no such policy.
/// - What `certificateRevocationLists` name is refused, whatever else is allowed.
///
/// Set it up, then share it: copies are deep, and a change counts from the next request on.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the settings. Calls out on: nobody.
public final class SecurityPolicy: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // @unchecked because the settings are a value under the lock.
    private let settings: Locked<ServerTrustRequirements>

    /// What a server's certificates are compared with.
    public enum PinningMode: Int, Sendable {
        /// Nothing; the system's anchors decide.
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
    ///   - pinnedCertificates: leaf, intermediate or root; any one suffices (SP-8). While there are
    ///     none the policy refuses every server, and `check()` throws.
    public init(pinningMode: PinningMode, pinnedCertificates: [Certificate] = []) {
        var requirements = ServerTrustRequirements()
        requirements.pinning = pinningMode.requirement
        requirements.pins = pinnedCertificates.withoutRepetitions
        settings = Locked(requirements)
    }

    private init(_ requirements: ServerTrustRequirements) {
        settings = Locked(requirements)
    }

    // MARK: Settings

    /// What the policy requires, as the value by which connections are kept apart.
    package var requirements: ServerTrustRequirements { settings.withLock { $0 } }

    /// What a server's certificates are compared with.
    public var pinningMode: PinningMode { PinningMode(requirements.pinning) }

    /// The certificates to compare with, each once, in the order they were given (SP-11).
    public var pinnedCertificates: [Certificate] {
        get { requirements.pins }
        set { settings.withLock { $0.pins = newValue.withoutRepetitions } }
    }

    /// Whether chains that do not end at an anchor are accepted; off at first. See the type.
    public var allowInvalidCertificates: Bool {
        get { !requirements.verifiesChain }
        set { settings.withLock { $0.verifiesChain = !newValue } }
    }

    /// Whether the certificate must name the host; on at first.
    public var validatesDomainName: Bool {
        get { requirements.verifiesHost }
        set { settings.withLock { $0.verifiesHost = newValue } }
    }

    /// Certificates that end a chain instead of the system's; nil, as at first, means the system's.
    public var anchorCertificates: [Certificate]? {
        get { requirements.anchors }
        set { settings.withLock { $0.anchors = newValue } }
    }

    /// What authorities took back; none, as at first, means that nobody looks: lists are not
    /// fetched, and an answer that a server staples is not asked for.
    ///
    /// With lists the server's own certificate must be covered by one of its authority's, signed
    /// and current (RFC 5280 section 6.3), or it is refused. Authorities are looked up in the lists
    /// that there are; the end of the chain needs none.
    public var certificateRevocationLists: [CertificateRevocationList] {
        get { requirements.revocationLists }
        set { settings.withLock { $0.revocationLists = newValue } }
    }

    /// The moment for which dates are judged; nil, as at first, means now. For tests.
    public var verificationTime: Date? {
        get { requirements.time }
        set { settings.withLock { $0.time = newValue } }
    }

    // MARK: Judging

    /// Whether a server is accepted.
    ///
    /// - Parameter domain: the host that must be named; nil looks for no name (SP-2).
    public func evaluate(_ trust: ServerTrust, forDomain domain: String?) -> Bool {
        TrustJudgement(of: trust, by: requirements, host: domain).isAccepted
    }

    /// The same with every reason.
    public func explain(_ trust: ServerTrust, forDomain domain: String?) -> TrustVerdict {
        TrustVerdict(TrustJudgement(of: trust, by: requirements, host: domain))
    }

    // MARK: Copying and archiving

    /// A policy of its own with the same settings, all of them.
    public func copy(with zone: NSZone? = nil) -> Any {
        SecurityPolicy(requirements)
    }

    /// Yes.
    public static var supportsSecureCoding: Bool { true }

    /// Writes every setting, under the original's keys where it had one.
    public func encode(with coder: NSCoder) {
        let requirements = requirements
        coder.encode(pinningMode.rawValue, forKey: Key.mode)
        coder.encode(!requirements.verifiesChain, forKey: Key.allowsInvalid)
        coder.encode(requirements.verifiesHost, forKey: Key.validatesName)
        coder.encode(requirements.pins.map(\.der).archived, forKey: Key.pins)
        coder.encode(requirements.revocationLists.map(\.der).archived, forKey: Key.lists)
        if let anchors = requirements.anchors {
            coder.encode(anchors.map(\.der).archived, forKey: Key.anchors)
        }
        if let time = requirements.time {
            coder.encode(time.timeIntervalSince1970, forKey: Key.time)
        }
    }

    /// Reads a policy back; nil when a setting is missing or cannot be read, since one that is less
    /// strict than what was archived must not come of it.
    public init?(coder: NSCoder) {
        var requirements = ServerTrustRequirements()
        guard [Key.mode, Key.allowsInvalid, Key.validatesName].allSatisfy(coder.containsValue),
            let mode = PinningMode(rawValue: coder.decodeInteger(forKey: Key.mode)),
            let pins = coder.elements(forKey: Key.pins, as: Certificate.init(der:)),
            let lists = coder.elements(
                forKey: Key.lists, as: CertificateRevocationList.init(der:))
        else { return nil }
        requirements.pinning = mode.requirement
        requirements.verifiesChain = !coder.decodeBool(forKey: Key.allowsInvalid)
        requirements.verifiesHost = coder.decodeBool(forKey: Key.validatesName)
        requirements.pins = pins
        requirements.revocationLists = lists
        if coder.containsValue(forKey: Key.anchors) {
            guard let anchors = coder.elements(forKey: Key.anchors, as: Certificate.init(der:))
            else { return nil }
            requirements.anchors = anchors
        }
        if coder.containsValue(forKey: Key.time) {
            requirements.time = Date(timeIntervalSince1970: coder.decodeDouble(forKey: Key.time))
        }
        settings = Locked(requirements)
    }

    private enum Key {
        static let mode = "SSLPinningMode"
        static let allowsInvalid = "allowInvalidCertificates"
        static let validatesName = "validatesDomainName"
        static let pins = "pinnedCertificates"
        static let anchors = "anchorCertificates"
        static let lists = "certificateRevocationLists"
        static let time = "verificationTime"
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

extension [Data] {
    fileprivate var archived: NSArray { map { $0 as NSData } as NSArray }
}

extension NSCoder {
    /// Nil when the key is missing, or one of its values cannot be read.
    fileprivate func elements<Element>(
        forKey key: String, as read: (Data) throws -> Element
    ) -> [Element]? {
        guard containsValue(forKey: key),
            let list = decodeObject(of: [NSArray.self, NSData.self], forKey: key) as? [Data]
        else { return nil }
        return try? list.map(read)
    }
}
