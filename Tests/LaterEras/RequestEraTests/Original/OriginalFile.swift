/// A file of Alamofire 4.9.1's own tests, and what became of its tests.
///
/// A test that is here is a function of the original's name without `test` or `testThat`, in the
/// files that are named. A function in small letters is none of the original's.
struct OriginalFile {
    /// A test that is not here.
    struct Absence {
        let name: String
        let reason: String
    }

    let name: String
    /// How many tests the original has.
    let count: Int
    /// The files here that have them, without `.swift`.
    let places: [String]
    /// Functions that stand for several tests, with their number.
    var tables: [String: Int] = [:]
    /// What stands in place of what Linux lacks, by a function's name; "" is all of them.
    var substitutes: [String: String] = [:]
    /// Why the original's own test, run beside, does not pass or cannot be built, by its name.
    var failures: [String: String] = [:]
    /// How many of its own tests can be built, and how many pass; nil is all.
    var built: Int?
    var passing: Int?
    var absences: [Absence] = []

    static let all =
        [
            OriginalFile(
                name: "ParameterEncodingTests", count: 44,
                places: ["OriginalParameterEncodingTests"],
                substitutes: [
                    "URLParameterEncodeStringKeyNSNumberBoolValueParameter": number,
                    "URLParameterLiteralBoolEncodingWorksAndDoesNotAffectNumbers": number,
                ]),
            OriginalFile(
                name: "ResultTests", count: 34, places: ["OriginalResultTests"]),
            OriginalFile(
                name: "MultipartFormDataTests", count: 22,
                places: ["OriginalMultipartFormDataTests"],
                substitutes: [
                    "AppendingFileBodyPartWithInvalidLastPathComponentReturnsError":
                        "a file URL of an empty path"
                ],
                failures: [
                    "AppendingFileBodyPartWithInvalidLastPathComponentReturnsError":
                        "an empty `NSURL` as a `URL` ends the process on Linux"
                ], passing: 21),
            OriginalFile(
                name: "ResponseSerializationTests", count: 63,
                places: ["OriginalDataSerializationTests", "OriginalDownloadSerializationTests"]),
            OriginalFile(
                name: "NetworkReachabilityManagerTests", count: 18,
                places: ["OriginalReachabilityTests"],
                substitutes: ["": "the kernel's answer in place of flags"],
                failures: Dictionary(
                    uniqueKeysWithValues: [
                        "ReturnsNotReachableStatusWhenReachableFlagIsAbsent",
                        "ReturnsNotReachableStatusWhenConnectionIsRequired",
                        "ReturnsNotReachableStatusWhenInterventionIsRequired",
                        "ReturnsReachableOnWiFiStatusWhenConnectionIsNotRequired",
                        "ReturnsReachableOnWiFiStatusWhenConnectionIsOnDemand",
                        "ReturnsReachableOnWiFiStatusWhenConnectionIsOnTraffic",
                        "ReturnsReachableOnWWANStatusWhenIsWWAN",
                        "ReturnsNotReachableOnWWANStatusWhenIsWWANAndConnectionIsRequired",
                    ].map { ("Manager" + $0, "not built: there are no flags on Linux") }),
                built: 10, passing: 10),
            OriginalFile(
                name: "ServerTrustPolicyTests", count: 79, places: ["OriginalTrustPolicyTests"],
                tables: [
                    "ServerTrustPolicyExplorationBasicX509PolicyValidationTestCase": 4,
                    "ServerTrustPolicyExplorationSSLPolicyValidationTestCase": 9,
                    "ServerTrustPolicyPerformDefaultEvaluationTestCase": 11,
                    "ServerTrustPolicyPerformRevokedEvaluationTestCase": 11,
                    "ServerTrustPolicyPinCertificatesTestCase": 23,
                    "ServerTrustPolicyPinPublicKeysTestCase": 16,
                    "ServerTrustPolicyDisableEvaluationTestCase, …CustomEvaluationTestCase": 4,
                ],
                substitutes: ["": "certificates that are made at test time"]),
            OriginalFile(
                name: "TLSEvaluationTests", count: 16, places: ["OriginalTLSEvaluationTests"],
                substitutes: ["": "a server here, on `SessionTransport.connection`"],
                failures: [
                    rootPin + "CertificateWithoutCertificateChainValidation": pinnedRoot,
                    rootPin + "PublicKeyWithoutCertificateChainValidation": pinnedRoot,
                ], passing: 14),
        ] + running

    /// The files about running requests, all of them on `SessionTransport.connection`.
    static let running = [
        OriginalFile(
            name: "SessionManagerTests", count: 30, places: ["OriginalSessionManagerTests"],
            substitutes: ofInvalidURLs("an address that nothing can be escaped in"),
            failures: ofInvalidURLs("what is no part of an address is escaped, and not refused"),
            built: 29, passing: 24,
            absences: [
                Absence(
                    name: "BackgroundConfigurationHeadersAreSentWithRequest",
                    reason: "there are no background sessions on Linux")
            ]),
        OriginalFile(
            name: "RequestTests", count: 24, places: ["OriginalRequestTests"],
            substitutes: [
                "POSTRequestWithCookieDebugDescription": "its value is shown when asked for"
            ]),
        OriginalFile(
            name: "DownloadTests", count: 25, places: ["OriginalDownloadTests"],
            substitutes: [
                "CancelledDownloadResponseDataMatchesResumeData": resumeData,
                "CancelledDownloadResumeDataIsAvailableWithJSONResponseSerializer": resumeData,
                "CancelledDownloadCanBeResumedWithResumeData": resumeData,
                "DownloadCanBeCancelledWithoutResumeData": resumeData,
            ]),
        OriginalFile(
            name: "UploadTests", count: 17, places: ["OriginalUploadTests"], built: 16, passing: 16,
            absences: [
                Absence(
                    name:
                        "UploadingMultipartFormDataOnBackgroundSessionWritesDataToFileToAvoidCrash",
                    reason: "there are no background sessions on Linux")
            ]),
        OriginalFile(
            name: "ResponseTests", count: 20, places: ["OriginalResponseTests"]),
        OriginalFile(
            name: "ValidationTests", count: 21, places: ["OriginalValidationTests"],
            substitutes: [
                "ValidationForRequestWithAcceptableWildcardContentTypeResponseSucceedsWhenResponseIsNil":
                    "a server that names no type, in place of a response without one"
            ]),
        OriginalFile(
            name: "SessionDelegateTests", count: 16, places: ["OriginalSessionDelegateTests"],
            substitutes: [
                "SessionDidReceiveChallengeClosureIsCalledWhenSet": untrusted,
                "SessionDidReceiveChallengeWithCompletionClosureIsCalledWhenSet": untrusted,
            ]),
        OriginalFile(
            name: "AuthenticationTests", count: 5, places: ["OriginalAuthenticationTests"],
            substitutes: [
                "HTTPDigestAuthenticationWithInvalidCredentials": transport,
                "HTTPDigestAuthenticationWithValidCredentials": transport,
            ]),
        OriginalFile(
            name: "CacheTests", count: 5, places: ["OriginalCacheTests"],
            substitutes: ["": transport],
            failures: [
                "URLCacheContainsCachedResponsesForAllRequests":
                    "a `URLCache` stays empty: on Linux it has one answer for all queries of a path"
            ], passing: 4),
        OriginalFile(
            name: "URLProtocolTests", count: 1, places: ["OriginalURLProtocolTests"],
            substitutes: ["": "the server sees the fields, in place of a URL protocol"]),
    ]

    private static let rootPin = "ExpiredCertificateRequestSucceedsWhenPinningRootCA"
    private static let pinnedRoot = "it succeeds, as the name says; macOS from 10.12 on refuses"
    private static let resumeData = "this package's resume data"
    private static let transport = "on `SessionTransport.connection` only"

    private static func ofInvalidURLs(_ text: String) -> [String: String] {
        let kinds = ["Data", "Download", "UploadData", "UploadFile", "UploadStream"]
        return Dictionary(
            uniqueKeysWithValues: kinds.map {
                ($0 + "RequestWithInvalidURLStringThrowsResponseHandlerError", text)
            })
    }

    private static let untrusted = "a server that default handling refuses, on `.connection` only"

    private static let number = "CoreFoundation's type tells a Boolean number"
}
