import Foundation
public import HTTPSemantics
import Locking
public import RequestEra

// The functions of Apple's Security framework with which programs evaluate a trust by themselves, in a
// challenge's closure or in `ServerTrustPolicy.customEvaluation`. What they set of a trust counts in
// `SecTrustEvaluate`, its anchors in `ServerTrustPolicy.evaluate` too, and nothing where a connection is judged by a
// policy.

/// The result of a function in C; 0 is success.
public typealias OSStatus = Int32
/// Any object of a framework in C.
public typealias CFTypeRef = Any
/// An array, where an old source writes `certificates as CFArray`.
public typealias CFArray = [Any]
/// A text, where an old source writes `host as CFString`.
public typealias CFString = String
/// An error of a framework in C.
public typealias CFError = Error

/// The function did what it is for.
public let errSecSuccess: OSStatus = 0
/// An argument is not of the type that the function takes.
public let errSecParam: OSStatus = -50

/// Whether a trust is accepted.
public enum SecTrustResultType: UInt32, Sendable {
    /// It was not evaluated.
    case invalid = 0
    /// The user accepts it; never the result here.
    case proceed = 1
    /// The user refuses it; never the result here.
    case deny = 3
    /// It is accepted.
    case unspecified = 4
    /// It is refused.
    case recoverableTrustFailure = 5
    /// It is refused, whatever the user says; never the result here.
    case fatalTrustFailure = 6
    /// It could not be evaluated; never the result here.
    case otherError = 7
}

/// What a trust is evaluated by.
public struct SecPolicy: Sendable {
    /// The name that the certificate must have; nil checks none.
    fileprivate let name: String?
}

/// The chain of a server must be valid, and its certificate have the name; nil checks no name.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(name: hostname)
}

/// The chain must be valid.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(name: nil) }

/// Makes a trust of a certificate or of several, the server's own first.
@discardableResult
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    let chain =
        certificates as? [SecCertificate] ?? [certificates as? SecCertificate].compactMap(\.self)
    guard !chain.isEmpty else { return errSecParam }
    let made = SecTrust(host: "", certificates: chain)
    trust.pointee = made
    return SecTrustSetPolicies(made, policies ?? SecPolicyCreateBasicX509())
}

/// Sets what a trust is evaluated by: a policy, or several of which the first with a name counts.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    let all = policies as? [SecPolicy] ?? [policies as? SecPolicy].compactMap(\.self)
    guard !all.isEmpty else { return errSecParam }
    trust.terms.withLock { $0.name = .given(all.lazy.compactMap(\.name).first) }
    return errSecSuccess
}

/// Sets what ends a chain, in place of the system's anchors.
@discardableResult
public func SecTrustSetAnchorCertificates(
    _ trust: SecTrust, _ anchorCertificates: CFArray?
) -> OSStatus {
    let anchors = anchorCertificates?.compactMap { $0 as? SecCertificate }
    guard anchors?.count == anchorCertificates?.count else { return errSecParam }
    trust.terms.withLock {
        $0.anchors = anchors
        $0.includesSystem = false
    }
    return errSecSuccess
}

/// Whether the anchors that were set are the only ones; they are until this says no.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(
    _ trust: SecTrust, _ anchorCertificatesOnly: Bool
) -> OSStatus {
    trust.terms.withLock { $0.includesSystem = !anchorCertificatesOnly }
    return errSecSuccess
}

/// Evaluates a trust: by default as a server with the name of the request, under the system's anchors.
@discardableResult
public func SecTrustEvaluate(
    _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>?
) -> OSStatus {
    result?.pointee = refusal(of: trust) == nil ? .unspecified : .recoverableTrustFailure
    return errSecSuccess
}

/// Returns whether the server is trusted, and stores the reason if it is not.
public func SecTrustEvaluateWithError(
    _ trust: SecTrust, _ error: UnsafeMutablePointer<(any CFError)?>?
) -> Bool {
    let refusal = refusal(of: trust)
    error?.pointee = refusal
    return refusal == nil
}

/// The key of the server's own certificate.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? {
    trust.certificates.first.map { SecKey($0) }
}

/// The key of a certificate.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? { SecKey(certificate) }

/// Why a trust is refused; nil where it is accepted.
private func refusal(of trust: SecTrust) -> URLError? {
    let terms = trust.terms.withLock { $0 }
    let name: String? =
        switch terms.name {
        case .ofRequest: trust.host
        case .given(let name): name
        }
    var requirements = ServerTrustRequirements()
    requirements.anchors = terms.anchors
    var judgement = TrustJudgement(of: trust, by: requirements, host: name)
    if !judgement.isAccepted, terms.includesSystem, terms.anchors != nil {
        requirements.anchors = nil
        judgement = TrustJudgement(of: trust, by: requirements, host: name)
    }
    if judgement.isAccepted { return nil }
    return URLError(.serverCertificateUntrusted, url: nil, text: judgement.objections)
}
