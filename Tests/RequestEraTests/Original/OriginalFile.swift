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
    /// Names that may be spelled another way in the original.
    var uncertain: Set<String> = []
    var absences: [Absence] = []

    static let all =
        [
            OriginalFile(
                name: "ParameterEncodingTests", count: 44,
                places: ["OriginalParameterEncodingTests"],
                substitutes: [
                    "URLParameterEncodeStringKeyNSNumberBoolValueParameter": number,
                    "URLParameterLiteralBoolEncodingWorksAndDoesNotAffectNumbers": number,
                ],
                uncertain: [
                    "URLParameterEncodeStringWithSlashKeyStringWithQuestionMarkValueParameter",
                    "URLParameterEncodeStringKeyPercentEncodedStringValueParameter",
                ]),
            OriginalFile(
                name: "ResultTests", count: 34, places: ["OriginalResultTests"],
                uncertain: [
                    "InitializerFromThrowingClosureStoresResultAsASuccess",
                    "InitializerFromThrowingClosureCatchesErrorAsAFailure",
                    "FlatMapErrorPreservesSuccessValue", "FlatMapErrorTransformsFailureError",
                    "FlatMapErrorCapturesThrownError", "MapErrorTransformsFailureValue",
                    "MapErrorPreservesSuccessError",
                ]),
            OriginalFile(
                name: "MultipartFormDataTests", count: 22,
                places: ["OriginalMultipartFormDataTests"]),
            OriginalFile(
                name: "ResponseSerializationTests", count: 63,
                places: ["OriginalDataSerializationTests", "OriginalDownloadSerializationTests"],
                uncertain: [
                    "DataResponseSerializerSucceedsWhenFileDataIsEmpty",
                    "PropertyListResponseSerializerSucceedsWhenFileDataIsValidPropertyListData",
                ]),
            OriginalFile(
                name: "NetworkReachabilityManagerTests", count: 18,
                places: ["OriginalReachabilityTests"],
                substitutes: ["": "facts of routes in place of flags"]),
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
                substitutes: ["": "a server here, on `SessionTransport.connection`"]),
        ] + running

    /// The files about running requests, all of them on `SessionTransport.connection`.
    static let running = [
        OriginalFile(
            name: "SessionManagerTests", count: 30, places: ["OriginalSessionManagerTests"],
            substitutes: [
                "InitializerWithDefaultArguments":
                    "the session that is shown has no delegate of the program's"
            ],
            absences: [
                Absence(
                    name: "BackgroundConfigurationHeadersAreSentWithRequest",
                    reason: "there are no background sessions on Linux")
            ]),
        OriginalFile(
            name: "RequestTests", count: 24, places: ["OriginalRequestTests"],
            substitutes: [
                "GETRequestWithJSONHeaderDebugDescription": quotes,
                "POSTRequestWithJSONParametersDebugDescription": quotes,
                "POSTRequestWithCookieDebugDescription": "cookies are shown when asked for",
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
            name: "UploadTests", count: 17, places: ["OriginalUploadTests"],
            absences: [
                Absence(
                    name:
                        "UploadingMultipartFormDataOnBackgroundSessionWritesDataToFileToAvoidCrash",
                    reason: "there are no background sessions on Linux")
            ]),
        OriginalFile(
            name: "ResponseTests", count: 20, places: ["OriginalResponseTests"]),
        OriginalFile(
            name: "ValidationTests", count: 21, places: ["OriginalValidationTests"]),
        OriginalFile(
            name: "SessionDelegateTests", count: 16, places: ["OriginalSessionDelegateTests"],
            substitutes: [
                "SessionDidReceiveChallengeClosureIsCalledWhenSet": transport,
                "SessionDidReceiveChallengeWithCompletionClosureIsCalledWhenSet": transport,
            ]),
        OriginalFile(
            name: "AuthenticationTests", count: 5, places: ["OriginalAuthenticationTests"],
            substitutes: [
                "HTTPDigestAuthenticationWithInvalidCredentials": transport,
                "HTTPDigestAuthenticationWithValidCredentials": transport,
            ]),
        OriginalFile(
            name: "CacheTests", count: 5, places: ["OriginalCacheTests"],
            substitutes: ["": transport]),
        OriginalFile(
            name: "URLProtocolTests", count: 1, places: ["OriginalURLProtocolTests"],
            substitutes: ["": "the server sees the fields, in place of a URL protocol"]),
    ]

    private static let quotes = "single quotes in place of double ones"
    private static let resumeData = "this package's resume data"
    private static let transport = "on `SessionTransport.connection` only"

    private static let number = "CoreFoundation's type tells a Boolean number"
}
