public import Foundation
public import FoundationNetworking
public import HTTPSemantics
public import RequestEra

// Names of Apple's Security framework that programs use beside trust policies.

/// A certificate.
public typealias SecCertificate = Certificate
/// What a server showed.
public typealias SecTrust = ServerTrust
/// A certificate's public key.
public typealias SecKey = PublicKey
/// Bytes, where an old source writes `data as CFData`.
public typealias CFData = Data
/// Flags of a framework in C.
public typealias CFOptionFlags = UInt

/// Reads a certificate in DER; nil for anything else.
public func SecCertificateCreateWithData(_ allocator: Any?, _ data: CFData) -> SecCertificate? {
    try? Certificate(der: data)
}

/// The bytes of a certificate in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
    certificate.der
}

/// How many certificates a server showed.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> Int { trust.certificates.count }

/// One of the certificates that a server showed, its own first; nil beyond the last. They are as it sent them.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ index: Int) -> SecCertificate? {
    trust.certificates.indices.contains(index) ? trust.certificates[index] : nil
}

extension URLProtectionSpace {
    /// What the server showed; nil where the challenge is not about its trust.
    public var serverTrust: SecTrust? { peerTrust }
}

/// A credential that can be made of a server's trust. An initializer of the class could not return the subclass
/// that has the trust; one of a protocol can.
public protocol TrustCredential {}
extension URLCredential: TrustCredential {}

extension TrustCredential where Self == URLCredential {
    /// A credential that accepts what a server showed.
    public init(trust: SecTrust) { self = PeerTrustCredential(peerTrust: trust) }
}

/// Asks the authority for the state of a certificate; nothing is asked here.
public let kSecRevocationOCSPMethod: CFOptionFlags = 1 << 0
/// Uses lists of revoked certificates; the program's own here.
public let kSecRevocationCRLMethod: CFOptionFlags = 1 << 1
/// Prefers lists.
public let kSecRevocationPreferCRL: CFOptionFlags = 1 << 2
/// Refuses every server where there is no list.
public let kSecRevocationRequirePositiveResponse: CFOptionFlags = 1 << 3
/// Uses no network; always so here.
public let kSecRevocationNetworkAccessDisabled: CFOptionFlags = 1 << 4
/// Either of both.
public let kSecRevocationUseAnyAvailableMethod: CFOptionFlags =
    kSecRevocationOCSPMethod | kSecRevocationCRLMethod

extension ServerTrustPolicy {
    /// The default evaluation and a look at the lists of revoked certificates among the program's
    /// resources: files that end in `.crl`. Nothing is asked over the network.
    ///
    /// Where there is no list it is the default evaluation alone, as an answer that does not come was no
    /// refusal; with `kSecRevocationRequirePositiveResponse` every server is refused then. The other
    /// flags choose nothing here.
    @available(
        *, deprecated,
        message:
            "nothing is asked over the network; performRevokedEvaluation(validateHost:revocationLists:) needs a list"
    )
    public static func performRevokedEvaluation(
        validateHost: Bool, revocationFlags: CFOptionFlags
    ) -> ServerTrustPolicy {
        .lookingForRevoked(
            in: revocationLists(in: .main), validateHost: validateHost,
            isAnswerRequired: revocationFlags & kSecRevocationRequirePositiveResponse != 0)
    }
}
