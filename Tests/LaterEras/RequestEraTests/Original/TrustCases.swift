import CurlConnection
import Foundation
import TLSPeer

@testable import RequestEra

/// The rows of `ServerTrustPolicyTests`, in the original's order.
enum TrustCases {
    typealias Case = OriginalServerTrustPolicyTests.Case
    private typealias Policy = @Sendable (TrustCast) -> ServerTrustPolicy
    private typealias Trust = @Sendable (TrustCast) -> ServerTrust

    // MARK: What servers show

    private static let valid: Trust = { $0.trust(.validDNSName) }
    private static let expired: Trust = { $0.trust(.expired) }
    private static let missingName: Trust = { $0.trust(.missingDNSNameAndURI) }
    private static let wildcard: Trust = { $0.trust(.wildcard) }
    private static let withoutRoot: Trust = { $0.trust([$0[.validDNSName], $0.ca2.certificate]) }
    private static let withoutIntermediate: Trust = {
        $0.trust([$0[.validDNSName], $0.root.certificate])
    }
    private static let wrongIntermediate: Trust = {
        $0.trust([$0[.validDNSName], $0.ca1.certificate, $0.root.certificate])
    }

    // MARK: Policies

    private static func byDefault(_ validateHost: Bool) -> Policy {
        { _ in .performDefaultEvaluation(validateHost: validateHost) }
    }

    /// With a current list of each authority that names none of its certificates.
    private static func revoked(_ validateHost: Bool) -> Policy {
        { cast in
            let lists = [cast.ca1, cast.ca2].compactMap { try? $0.revocationList() }
            return .performRevokedEvaluation(validateHost: validateHost, revocationLists: lists)
        }
    }

    private static func pins(
        chain: Bool, host: Bool, _ pins: @escaping @Sendable (TrustCast) -> [Certificate]
    ) -> Policy {
        {
            .pinCertificates(
                certificates: pins($0), validateCertificateChain: chain, validateHost: host)
        }
    }

    private static func keys(
        chain: Bool, host: Bool, _ pins: @escaping @Sendable (TrustCast) -> [Certificate]
    ) -> Policy {
        {
            .pinPublicKeys(
                publicKeys: pins($0).map(PublicKey.init), validateCertificateChain: chain,
                validateHost: host)
        }
    }

    // MARK: Rows

    static let explorationX509: [Case] = [
        .init(
            "AnchoredRootCertificatePassesBasicX509ValidationWithRootInTrust", byDefault(false),
            { $0.trust(.dnsNameAndURI) }, passes: true),
        .init(
            "AnchoredRootCertificatePassesBasicX509ValidationWithoutRootInTrust",
            byDefault(false), { $0.trust([$0[.dnsNameAndURI], $0.ca1.certificate]) },
            passes: true),
        .init(
            "CertificateMissingDNSNamePassesBasicX509Validation", byDefault(false), missingName,
            passes: true),
        .init(
            "ExpiredCertificateFailsBasicX509Validation", byDefault(false), expired,
            passes: false),
    ]

    static let explorationSSL: [Case] = [
        .init(
            "AnchoredRootCertificatePassesSSLValidationWithRootInTrust", byDefault(true),
            { $0.trust(.dnsNameAndURI) }, passes: true),
        .init(
            "AnchoredRootCertificatePassesSSLValidationWithoutRootInTrust", byDefault(true),
            { $0.trust([$0[.dnsNameAndURI], $0.ca1.certificate]) }, passes: true),
        .init(
            "CertificateMissingDNSNameFailsSSLValidation", byDefault(true), missingName,
            passes: false),
        .init("WildcardCertificatePassesSSLValidation", byDefault(true), wildcard, passes: true),
        .init("DNSNameCertificatePassesSSLValidation", byDefault(true), valid, passes: true),
        .init(
            "URICertificateFailsSSLValidation", byDefault(true), { $0.trust(.validURI) },
            passes: false),
        .init(
            "MultipleDNSNamesCertificatePassesSSLValidationForAllEntries", byDefault(true),
            { $0.trust(.multipleDNSNames) }, passes: true,
            hosts: ["test.example.com", "blog.example.com", "www.example.com"]),
        .init(
            "PassingNilForHostParameterAllowsCertificateMissingDNSNameToPassSSLValidation",
            byDefault(false), missingName, passes: true),
        .init("ExpiredCertificateFailsSSLValidation", byDefault(true), expired, passes: false),
    ]

    static let defaultEvaluation = evaluation(byDefault)
    static let revokedEvaluation = evaluation(revoked)

    private static func evaluation(_ policy: (Bool) -> Policy) -> [Case] {
        [false, true].flatMap { host in
            let end = "Evaluation\(host ? "With" : "Without")HostValidation"
            let wildcards: [Case] = [
                .init(
                    "WildcardedLeafCertificateChainPasses\(end)", policy(true), wildcard,
                    passes: true)
            ]
            return [
                .init("ValidCertificateChainPasses\(end)", policy(host), valid, passes: true),
                .init(
                    "NonAnchoredRootCertificateChainFails\(end)", policy(host), withoutRoot,
                    passes: false, isAnchored: false),
                .init(
                    "MissingDNSNameLeafCertificate\(host ? "Fails" : "Passes")\(end)",
                    policy(host), missingName, passes: !host),
                .init("ExpiredCertificateChainFails\(end)", policy(host), expired, passes: false),
                .init(
                    "MissingIntermediateCertificateInChainFails\(end)", policy(host),
                    withoutIntermediate, passes: false),
            ] + (host ? wildcards : [])
        }
    }

    static let pinnedCertificates: [Case] =
        [false, true].flatMap { host in
            let end = "Evaluation\(host ? "With" : "Without")HostValidation"
            let row = {
                (
                    name: String, pin: @escaping @Sendable (TrustCast) -> [Certificate],
                    trust: @escaping Trust, passes: Bool
                ) in
                Case(
                    name + end, pins(chain: true, host: host, pin), trust, passes: passes,
                    isAnchored: false)
            }
            return [
                row("PinnedLeafCertificatePasses", { [$0[.validDNSName]] }, valid, true),
                row("PinnedIntermediateCertificatePasses", { [$0.ca2.certificate] }, valid, true),
                row("PinnedRootCertificatePasses", { [$0.root.certificate] }, valid, true),
                row(
                    "PinningLeafCertificateNotInCertificateChainFails", { [$0[.signedByCA2]] },
                    valid, false),
                row(
                    "PinningIntermediateCertificateNotInCertificateChainFails",
                    { [$0.ca1.certificate] }, valid, false),
                row("PinningExpiredLeafCertificateFails", { [$0[.expired]] }, expired, false),
                row(
                    "PinningIntermediateCertificateWithExpiredLeafCertificateFails",
                    { [$0.ca2.certificate] }, expired, false),
            ]
        } + pinnedWithoutChain

    private static let pinnedWithoutChain: [Case] = {
        let middle = "WithoutCertificateChainValidation"
        let row = {
            (
                name: String, pin: @escaping @Sendable (TrustCast) -> [Certificate],
                trust: @escaping Trust, passes: Bool
            ) in
            Case(
                name + middle + (passes ? "PassesEvaluation" : "FailsEvaluation"),
                pins(chain: false, host: false, pin), trust, passes: passes, isAnchored: false)
        }
        return [
            row("PinnedLeafCertificate", { [$0[.validDNSName]] }, valid, true),
            row("PinnedIntermediateCertificate", { [$0.ca2.certificate] }, valid, true),
            row("PinnedRootCertificate", { [$0.root.certificate] }, valid, true),
            row(
                "PinningLeafCertificateNotInCertificateChain", { [$0[.signedByCA2]] }, valid,
                false),
            row(
                "PinningIntermediateCertificateNotInCertificateChain", { [$0.ca1.certificate] },
                valid, false),
            row("PinningExpiredLeafCertificate", { [$0[.expired]] }, expired, true),
            row(
                "PinningIntermediateCertificateWithExpiredLeafCertificate",
                { [$0.ca2.certificate] }, expired, true),
            row(
                "PinningRootCertificateWithExpiredLeafCertificate", { [$0.root.certificate] },
                expired, true),
            row(
                "PinningMultipleCertificates",
                { cast in
                    [
                        TrustCast.Leaf.multipleDNSNames, .signedByCA1, .expired, .wildcard,
                        .dnsNameAndURI,
                    ].map { cast[$0] }
                }, expired, true),
        ]
    }()

    static let pinnedKeys: [Case] =
        [false, true].flatMap { host in
            let end = "Evaluation\(host ? "With" : "Without")HostValidation"
            let row = {
                (
                    name: String, pin: @escaping @Sendable (TrustCast) -> [Certificate],
                    passes: Bool
                ) in
                Case(name + end, keys(chain: true, host: host, pin), valid, passes: passes)
            }
            return [
                row("PinningLeafKeyPasses", { [$0[.validDNSName]] }, true),
                row("PinningIntermediateKeyPasses", { [$0.ca2.certificate] }, true),
                row("PinningRootKeyPasses", { [$0.root.certificate] }, true),
                row("PinningKeyNotInCertificateChainFails", { [$0[.signedByCA2]] }, false),
                row(
                    "PinningBackupKeyPasses",
                    { [$0[.signedByCA1], $0.ca1.certificate, $0[.validDNSName]] }, true),
            ]
        } + keysWithoutChain

    private static let keysWithoutChain: [Case] = {
        let row = {
            (
                name: String, end: String,
                pin: @escaping @Sendable (TrustCast) -> [Certificate], trust: @escaping Trust,
                passes: Bool
            ) in
            Case(
                name + "WithoutCertificateChainValidation"
                    + (passes ? "PassesEvaluation" : "FailsEvaluation") + end,
                keys(chain: false, host: false, pin), trust, passes: passes)
        }
        return [
            row(
                "PinningLeafKey", "WithMissingIntermediateCertificate", { [$0[.validDNSName]] },
                withoutIntermediate, true),
            row(
                "PinningRootKey", "WithMissingIntermediateCertificate", { [$0.root.certificate] },
                withoutIntermediate, false),
            row(
                "PinningLeafKey", "WithIncorrectIntermediateCertificate",
                { [$0[.validDNSName]] }, wrongIntermediate, true),
            row(
                "PinningLeafKey", "WithExpiredLeafCertificate", { [$0[.expired]] }, expired,
                true),
            row(
                "PinningIntermediateKey", "WithExpiredLeafCertificate", { [$0.ca2.certificate] },
                expired, true),
            row(
                "PinningRootKey", "WithExpiredLeafCertificate", { [$0.root.certificate] },
                expired, true),
        ]
    }()

    static let disabledAndCustom: [Case] = [
        .init(
            "CertificateChainMissingIntermediateCertificatePassesEvaluation",
            { _ in .disableEvaluation }, withoutIntermediate, passes: true, isAnchored: false),
        .init(
            "ExpiredLeafCertificatePassesEvaluation", { _ in .disableEvaluation }, expired,
            passes: true, isAnchored: false),
        .init(
            "ReturningTrueFromClosurePassesEvaluation",
            { _ in .customEvaluation { _, _ in true } }, valid, passes: true, isAnchored: false),
        .init(
            "ReturningFalseFromClosurePassesEvaluation",
            { _ in .customEvaluation { _, _ in false } }, valid, passes: false,
            isAnchored: false),
    ]
}
