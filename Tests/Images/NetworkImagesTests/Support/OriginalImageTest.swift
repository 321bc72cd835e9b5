/// A test of AFNetworking 4.0.1 or AlamofireImage 3.6.0, and the test here that says the same.
struct OriginalImageTest {
    enum Answer {
        /// File and name of a test in this folder.
        case here(file: String, test: String)
        /// Not to be had, and why.
        case not(String)
    }

    let file: String
    let name: String
    let answer: Answer

    static let all =
        afCache + afDownloader + afSerializer + afViews + alamofireCache + alamofireDownloader
        + alamofireRequests

    /// Tests that one file here answers.
    static func file(
        _ file: String, answeredBy own: String, _ tests: KeyValuePairs<String, String>
    ) -> [OriginalImageTest] {
        tests.map {
            OriginalImageTest(
                file: file, name: $0.key, answer: .here(file: own, test: $0.value))
        }
    }

    private static let afCache = file(
        "AFAutoPurgingImageCacheTests", answeredBy: "AutoPurgingImageCacheTests",
        [
            "testImageIsReturnedFromCacheForIdentifier": named,
            "testImageIsReturnedFromCacheForURLRequest": requested,
            "testImageIsReturnedFromCacheForURLRequestWithAdditionalIdentifier": requested,
            "testImageIsNotReturnedWhenAdditionalIdentifierIsNotSet":
                "an image is not returned without its other name",
            "testImageIsNotReturnedWhenURLDoesntMatch":
                "an image is not returned for another URL",
            "testDuplicateImageAddedToCacheIsReturned": replaced,
            "testImageIsRemovedWithIdentifier": removed,
            "testImageIsRemovedWithURLRequest": removedByRequest,
            "testImageIsRemovedWithURLRequestWithAdditionalIdentifier": removedByRequest,
            "testImageIsNotRemovedWithURLRequestAndNilIdentifier": notRemoved,
            "testImageIsNotRemovedWithURLRequestAndIncorrectIdentifier": notRemoved,
            "testThatMemoryUsageIncreasesWhenAddingImage": usage,
            "testThatMemoryUsageDecreasesWhenRemovingImage": usage,
            "testThatImagesArePurgedWhenCapcityIsReached":
                "only above the capacity it purges, to the preferred usage",
            "testThatPrioritizedImagesWithOldestLastAccessDatesAreRemovedDuringPurge": oldest,
            "testThatShouldCacheIsYes":
                "every image may be kept, unless a cache says otherwise",
        ])

    private static let afDownloader = file(
        "AFImageDownloaderTests", answeredBy: "ImageDownloaderTests",
        [
            "testThatImageDownloaderSingletonCanBeInitialized":
                "the shared downloader has the original's defaults",
            "testThatImageDownloaderCanBeInitializedAndDeinitializedWithActiveDownloads":
                "a downloader that is let go with downloads under way drops its handlers",
            "testThatImageDownloaderReturnsNilWithInvalidURL":
                "without a URL there is no receipt, and a failure on main, later",
            "testThatImageDownloaderCanDownloadImage": downloaded,
            "testThatItCanDownloadMultipleImagesSimultaneously":
                "several images are downloaded at the same time",
            "testThatSimultaneouslyRequestsForTheSameAssetReceiveSameResponse":
                "100 requests of one URL are one on the server",
            "testThatImageBehindRedirectCanBeDownloaded":
                "behind a redirect the image is kept under the URL that was asked for",
            "testThatResponseIsNilWhenReturnedFromCache": fromCache,
            "testThatImageCacheIsPromptedShouldCache": prompted,
            "testThatImageCacheIsPromptedShouldCacheNot": prompted,
            "testThatImageDownloadReceiptIsNilForCachedImage": fromCache,
            "testThatCacheIsIgnoredIfCacheIgnoredInRequest":
                "a policy that reloads passes over what is kept",
            "testThatCancellingDownloadCallsCompletionWithCancellationError": cancelled,
            "testThatCancellingDownloadWithMultipleResponseHandlersCancelsFirstYetAllowsSecondToComplete":
                "99 of 100 are cancelled, and the last gets its image",
            "testThatItCanDownloadAndCancelAndDownloadAgain":
                "after a cancel the same URL is a new transfer",
            "testThatCancelImageDownloadItShouldCancelImmediately": cancelled,
            "testThatItAlwaysCallsTheSuccessHandlerOnTheMainQueue": downloaded,
            "testThatItAlwaysCallsTheFailureHandlerOnTheMainQueue":
                "an error comes on main, with the response there is",
            "testThatReceiptIDMatchesReturnedID": downloaded,
        ])

    static let downloaded =
        "an image is downloaded; its handler is called on main with the caller's request"
    static let fromCache =
        "a kept image is a success without response, receipt and request"
    private static let prompted = "the cache is asked whether it wants an image"
    static let cancelled =
        "a cancelled download fails with -999 at once, and the server sees it go"

    private static let afSerializer = file(
        "AFImageResponseSerializerTests", answeredBy: "ImageResponseSerializerTests",
        [
            "testImageSerializerCanBeCopied": "a copy has all settings",
            "testImageSerializerSupportsSecureCoding": archived,
            "testImageSerializerCanBeArchivedAndUnarchived": archived,
            "testImageSerializerCanBeArchivedAndUnarchivedWithNonDefaultPropertyValues":
                "an archive has the settings that are not the usual ones; not the limits",
        ])

    private static let alamofireCache =
        file(
            "ImageCacheTests", answeredBy: "AutoPurgingImageCacheTests",
            [
                "testThatCacheCanBeInitializedAndDeinitialized":
                    "100 MiB, purged to 60; a cache that is let go takes its images along",
                "testThatItCanAddImageToCacheWithIdentifier": named,
                "testThatItCanAddImageToCacheWithRequestIdentifier": requested,
                "testThatAddingImageToCacheWithDuplicateIdentifierReplacesCachedImage":
                    "an image replaces the one of its name",
                "testThatAddingImageToCacheWithDuplicateRequestIdentifierReplacesCachedImage":
                    replaced,
                "testThatItCanRemoveImageFromCacheWithIdentifier": removed,
                "testThatItCanRemoveImageFromCacheWithRequestIdentifier": removedByRequest,
                "testThatItCanRemoveImagesFromCacheMatchingRequestIdentifier":
                    "all images of a URL are removed, and none of one that begins alike",
                "testThatItCanRemoveAllImagesFromCache": "all images are removed, once",
                "testThatItCanFetchImageFromCacheWithIdentifier": named,
                "testThatItCanFetchImageFromCacheWithRequestIdentifier": requested,
                "testThatItIncrementsMemoryUsageWhenAddingImageToCache": usage,
                "testThatItDecrementsMemoryUsageWhenRemovingImageFromCache": usage,
                "testThatItDecrementsMemoryUsageWhenRemovingAllImagesFromCache": usage,
                "testThatItPurgesImagesWhenMemoryCapacityIsReached": manyImages,
                "testThatItPrioritizesImagesWithOldestLastAccessDatesDuringPurge": manyImages,
                "testThatAccessingCachedImageUpdatesLastAccessDate": oldest,
            ])
        + file(
            "ImageCacheTests", answeredBy: "MemoryPressureTests",
            [
                "testThatItRemovesAllImagesFromCacheWhenReceivingMemoryWarningNotification":
                    "a sign of pressure empties the cache; off by default, and to be ended"
            ])

    private static let named = "an image is returned for its name, and was not there before"
    private static let requested = "an image is returned for its request and other name"
    private static let replaced = "an image replaces the one of its request"
    private static let removed = "an image is removed by its name, once"
    private static let removedByRequest =
        "an image is removed by its request and other name, once"
    private static let notRemoved =
        "an image is not removed without its other name, or with another"
    private static let usage =
        "usage grows with an image and shrinks when it is removed, or all are"
    private static let oldest = "the longest unused images go first, and a read is a use"
    private static let manyImages = "640 images of 164,000 bytes in the usual cache"
    private static let archived = "it is archived and read with secure coding"
}

/// Documentation/ImageTests.md, written from the list.
extension OriginalImageTest {
    static var page: String {
        let files = all.map(\.file).reduce(into: [String]()) { files, file in
            if files.last != file { files.append(file) }
        }
        return ([head] + files.map(table)).joined(separator: "\n\n") + "\n"
    }

    private static var head: String {
        """
        # AFNetworking 4.0.1's and AlamofireImage 3.6.0's image tests

        <!-- Written by the tests from Tests/Images/NetworkImagesTests/Support; change the list there. -->

        Which test says what an original's test said; those of `NetworkActivityManagerTests` are in
        `Tests/Operations/OperationNetworkingTests`, all others in `Tests/Images/NetworkImagesTests`. Memory warnings are
        Linux's signs of pressure, injected. Of AlamofireImage the downloader, the cache and the requests
        are listed. Its views are not: they are those of AFNetworking with a filter, and
        `ImageDisplayingTests` has both. Transitions, which are UIKit's, are not here, nor are its
        ready-made filters but the one that makes images smaller.
        """
    }

    private static func table(_ file: String) -> String {
        let rows = all.filter { $0.file == file }.map { test in
            switch test.answer {
            case .here(let file, let name): "| `\(test.name)` | `\(file)`: \(name) |"
            case .not(let reason): "| `\(test.name)` | \(reason) |"
            }
        }
        return """
            ## \(file)

            | test | what became of it |
            |---|---|
            \(rows.joined(separator: "\n"))
            """
    }
}
