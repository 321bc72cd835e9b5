/// Tests of the session managers.
extension OriginalTest {
    static let sessions: [OriginalTest] = httpManager + urlManager

    private static let httpManager = file(
        "AFHTTPSessionManagerTests",
        [
            .a("testSharedManagerIsNotEqualToInitedManager"),
            .a("testThatOperationInvokesCompletionHandlerWithResponseObjectOnSuccess"),
            .a("testThatOperationInvokesFailureCompletionBlockWithErrorOnFailure"),
            .a("testThatRedirectBlockIsCalledWhen302IsEncountered"),
            .a("testDownloadFileCompletionSpecifiesURLInCompletionWithManagerDidFinishBlock"),
            .a("testDownloadFileCompletionSpecifiesURLInCompletionBlock"),
            .a("testThatSerializationErrorGeneratesErrorAndNullTaskForGET"),
            .a(
                "testSettingHTTPHeadersPerRequestCanReplaceTheDefaultValueSpecifiedInRequestSerializer"
            ),
            .b("testSupportsSecureCoding", coding),
            .b("testCanBeEncoded", coding),
            .b("testCanBeDecoded", coding),
            .a("testCanBeCopied"),
            .b("testDownloadProgressIsReportedForGET", counted),
            .a("testUploadProgressIsReportedForPOST"),
            .a("testUploadProgressIsReportedForStreamingPost"),
            .a("testThatSuccessBlockIsCalledFor200"),
            .a("testThatFailureBlockIsCalledFor404"),
            .a("testThatResponseObjectIsEmptyFor204"),
            .a("testGET"),
            .a("testHEAD"),
            .a("testPOST"),
            .a("testPOSTWithConstructingBody"),
            .a("testPUT"),
            .a("testDELETE"),
            .a("testPATCH"),
            .a("testHiddenBasicAuthentication"),
            .b("testValidSecureNoPinningSecurityPolicy", thrown),
            .b("testValidInsecureNoPinningSecurityPolicy", thrown),
            .b("testValidCertificatePinningSecurityPolicy", thrown),
            .b("testInvalidCertificatePinningSecurityPolicy", thrown),
            .b("testValidPublicKeyPinningSecurityPolicy", thrown),
            .b("testInvalidPublicKeyPinningSecurityPolicy", thrown),
            .b("testInvalidCertificatePinningSecurityPolicyWithoutBaseURL", thrown),
            .b("testInvalidPublicKeyPinningSecurityPolicyWithoutBaseURL", thrown),
            .b("testInvalidServerTrustProducesCorrectErrorForCertificatePinning", pinned),
            .b("testInvalidServerTrustProducesCorrectErrorForPublicKeyPinning", pinned),
            .a("testAuthenticationChallengeHandlerCredentialResult"),
            .b("testThatServerTrustErrorIsCreatedWithProperUserInfoWithAllParameters", noTrust),
            .b("testThatServerTrustErrorIsCreatedWithProperUserInfoWhenTrustIsNil", noTrust),
            .b("testThatServerTrustErrorIsCreatedWithProperUserInfoWhenURLIsNil", noTrust),
            .b("testThatServerTrustErrorIsCreatedWithProperUserInfoAllParametersAreNil", noTrust),
        ])

    private static let urlManager = file(
        "AFURLSessionManagerTests",
        [
            .b("testDataTaskDoesReportDownloadProgress", counted),
            .b("testDataTaskDownloadProgressCanBeKVOd", watched),
            .a("testDownloadTaskDoesReportProgress"),
            .b("testSessionTaskDoesReportMetrics", metrics),
            .a("testSessionIsStillValid"),
            .a("testSessionRecreatesAgain"),
            .a("testUploadTaskDoesReportProgress"),
            .b("testUploadProgressCanBeKVOd", watched),
            .b("testDidResumeNotificationIsReceivedByLocalDataTaskAfterResume", handle),
            .b("testDidSuspendNotificationIsReceivedByLocalDataTaskAfterSuspend", handle),
            .n("testDidResumeNotificationIsReceivedByBackgroundDataTaskAfterResume", background),
            .n("testDidSuspendNotificationIsReceivedByBackgroundDataTaskAfterSuspend", background),
            .b("testDidResumeNotificationIsReceivedByLocalUploadTaskAfterResume", upload),
            .b("testDidSuspendNotificationIsReceivedByLocalUploadTaskAfterSuspend", upload),
            .n("testDidResumeNotificationIsReceivedByBackgroundUploadTaskAfterResume", background),
            .n(
                "testDidSuspendNotificationIsReceivedByBackgroundUploadTaskAfterSuspend",
                background),
            .b("testDidResumeNotificationIsReceivedByLocalDownloadTaskAfterResume", handle),
            .b("testDidSuspendNotificationIsReceivedByLocalDownloadTaskAfterSuspend", handle),
            .n(
                "testDidResumeNotificationIsReceivedByBackgroundDownloadTaskAfterResume",
                background),
            .n(
                "testDidSuspendNotificationIsReceivedByBackgroundDownloadTaskAfterSuspend",
                background),
            .n("testSwizzlingIsProperlyConfiguredForDummyClass", swizzling),
            .n("testSwizzlingIsWorkingAsExpectedForForegroundDataTask", swizzling),
            .n("testSwizzlingIsWorkingAsExpectedForForegroundUpload", swizzling),
            .n("testSwizzlingIsWorkingAsExpectedForForegroundDownload", swizzling),
            .n("testSwizzlingIsWorkingAsExpectedForBackgroundDataTask", swizzling),
            .n("testSwizzlingIsWorkingAsExpectedForBackgroundUploadTask", swizzling),
            .n("testSwizzlingIsWorkingAsExpectedForBackgroundDownloadTask", swizzling),
            .n("testBackgroundManagerReturnsExpectedClassForDataTask", background),
            .n("testBackgroundManagerReturnsExpectedClassForUploadTask", background),
            .n("testBackgroundManagerReturnsExpectedClassForDownloadTask", background),
            .a("testTaskMoveSuccessfullyAfterDownloading"),
            .a("testTaskMoveFailedAfterDownloading"),
        ])

    // MARK: - Reasons that answer several

    private static let background = "LX-20: there are no background sessions"
    private static let swizzling =
        "LX-28: there is no Objective-C runtime to swizzle; a task's handle posts the notifications"
    private static let counted = Answer.here("LX-02: the manager counts the bytes")
    private static let watched = Answer.here(
        "LX-28: the manager's `Progress` is read in place of being observed")
    private static let handle = Answer.here("LX-28: the task's handle posts it")
    private static let upload = Answer.here(
        "LX-28: the task's handle posts it; by POST, for a GET with a body fails (-1103)")
    private static let thrown = Answer.here("an error in place of an exception")
    private static let coding = Answer.here(
        "what Foundation on Linux can archive of a configuration")
    private static let metrics = Answer.here("`RequestMetrics` of the own transport (LX-01)")
    private static let pinned = Answer.here("a certificate made at test time, a server on loopback")
    private static let noTrust = Answer.here("`ServerTrust` in place of `SecTrust`")
}
