/// AlamofireImage's downloader and requests.
extension OriginalImageTest {
    static let alamofireDownloader =
        file(
            "ImageDownloaderTests", answeredBy: "ImageDownloaderTests",
            [
                "testThatImageDownloaderSingletonCanBeInitialized":
                    "the shared downloader has the original's defaults",
                "testThatImageDownloaderCanBeInitializedAndDeinitialized": dropped,
                "testThatImageDownloaderCanBeInitializedWithManagerInstanceAndDeinitialized":
                    dropped,
                "testThatImageDownloaderCanBeInitializedAndDeinitializedWithActiveDownloads":
                    dropped,
                "testThatItCanDownloadAnImage": downloaded,
                "testThatItCanDownloadMultipleImagesSimultaneously":
                    "several images are downloaded at the same time",
                "testThatItCanEnqueueMultipleImages": inOrder,
                "testThatItDoesNotExceedTheMaximumActiveDownloadsLimit": limited,
                "testThatItCallsTheCompletionHandlerEvenWhenDownloadFails":
                    "an error comes on main, with the response there is",
                "testThatItCanDownloadImagesWithDisabledURLCacheInSessionConfiguration":
                    downloaded,
                "testThatCancellingDownloadCallsCompletionWithCancellationError": cancelled,
                "testThatCancellingDownloadWithMultipleResponseHandlersCancelsFirstYetAllowsSecondToComplete":
                    "99 of 100 are cancelled, and the last gets its image",
                "testThatItCanDownloadAndCancelAndDownloadAgain":
                    "after a cancel the same URL is a new transfer",
                "testThatItAlwaysCallsTheCompletionHandlerOnTheMainQueue": downloaded,
                "testThatCachedImageIsReturnedIfAllowedByCachePolicy": fromCache,
                "testThatCachedImageIsNotReturnedIfNotAllowedByCachePolicy":
                    "a policy that reloads passes over what is kept",
                "testThatItCanDownloadImagesWhenNoImageCacheIsAvailable":
                    "without a cache every request is one on the server",
                "testThatItAutomaticallyCachesDownloadedImageIfCacheIsAvailable": fromCache,
                "testThatStartingRequestIncrementsActiveRequestCount": limited,
                "testThatEnqueueRequestInsertsRequestAtTheBackOfTheQueueWithFIFODownloadPrioritization":
                    inOrder,
                "testThatEnqueueRequestInsertsRequestAtTheFrontOfTheQueueWithLIFODownloadPrioritization":
                    inOrder,
                "testThatDequeueRequestAlwaysRemovesRequestFromTheFrontOfTheQueue": inOrder,
            ])
        + file(
            "ImageDownloaderTests", answeredBy: "ImageFilterTests",
            [
                "testThatItCanDownloadImageAndApplyImageFilter": filtered,
                "testThatItCanAppendFilterAndCompletionHandlerToExistingDownload": filteredOnce,
                "testThatDownloadsWithMultipleResponseHandlersOnlyRunDuplicateImageFiltersOnce":
                    filteredOnce,
                "testThatItNeverCallsTheImageFilterOnTheMainQueue": filtered,
                "testThatFilteredImageIsStoredInCacheIfCacheIsAvailable": filtered,
            ])
        + file(
            "ImageDownloaderTests", answeredBy: "EraDownloaderTests",
            [
                "testThatItCallsTheProgressHandlerOnTheMainQueueByDefault": progress,
                "testThatItCallsTheProgressHandlerOnTheProgressQueue": progress,
                "testThatItDoesNotAttachAuthenticationCredentialToRequestIfItDoesNotExist":
                    credential,
                "testThatItAttachsUsernamePasswordCredentialToRequestIfItExists": credential,
                "testThatItAttachsAuthenticationCredentialToRequestIfItExists": credential,
            ])

    static let alamofireRequests =
        file(
            "RequestTests", answeredBy: "ImageResponseSerializerTests",
            [
                "testThatImageResponseSerializerCanDownloadAndInflatePNGImage": inflated,
                "testThatImageResponseSerializerCanDownloadAndInflateJPGImage": inflated,
                "testThatAttemptingToSerializeEmptyDataReturnsFailureResult": noImage,
                "testThatAttemptingToSerializeRandomStreamDataReturnsFailureResult": noImage,
            ])
        + file(
            "RequestTests", answeredBy: "EraDownloaderTests",
            [
                "testThatImageResponseSerializerCanDownloadPNGImage": bothFormats,
                "testThatImageResponseSerializerCanDownloadJPGImage": bothFormats,
                "testThatAttemptingToDownloadImageFromBadURLReturnsFailureResult":
                    "a server that is not there is a failure without a response",
                "testThatAttemptingToDownloadUnsupportedImageTypeReturnsFailureResult": wrongType,
                "testThatAttemptingToSerializeJSONResponseIntoImageReturnsFailureResult": wrongType,
            ])
        + [
            OriginalImageTest(
                file: "RequestTests",
                name: "testThatImageResponseSerializerCanDownloadImageFromFileURL",
                answer: .not(
                    "not by default: `file:` is loaded where `loadsLocalAddresses` is set")),
            OriginalImageTest(
                file: "RequestTests",
                name: "testThatAddingAcceptableImageContentTypesInsertsThemIntoTheGlobalList",
                answer: .not(
                    "otherwise: there is no list of all serializers; "
                        + "`ImageResponseSerializerTests`: a type that is added is acceptable, "
                        + "to this serializer alone")),
        ]

    private static let dropped =
        "a downloader that is let go with downloads under way drops its handlers"
    private static let inOrder = "those that wait come in their order"
    private static let limited =
        "with a limit of 1, a cancelled one that waited lets nobody past it"
    private static let filtered = "a filter changes the image off main, and both are kept"
    private static let filteredOnce =
        "who joins brings a filter of its own, and filters called alike run once"
    private static let progress =
        "progress comes on the queue that was asked for, also to one who joined later"
    private static let credential =
        "a credential is sent where there is one, and none where there is none"
    private static let inflated =
        "small images are decoded at once, large ones or all of them when asked for"
    private static let noImage =
        "a body that is no image is an error -1016, never a success without one"
    private static let bothFormats = "PNG and JPEG come with their pixels"
    private static let wrongType = "errors are the serializer's, with the response there is"
}
