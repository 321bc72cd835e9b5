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

    static let all = [
        OriginalFile(
            name: "ParameterEncodingTests", count: 44, places: ["OriginalParameterEncodingTests"],
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
    ]

    private static let number = "CoreFoundation's type tells a Boolean number"
}
