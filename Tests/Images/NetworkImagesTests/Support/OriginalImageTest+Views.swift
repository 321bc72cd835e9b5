/// AFNetworking's views, indicators and counter.
extension OriginalImageTest {
    static let afViews =
        file(
            "AFUIImageViewTests", answeredBy: "ImageDisplayingTests",
            [
                "testThatImageCanBeDownloadedFromURL":
                    "a picture is downloaded and shown, asked for with Accept: image",
                "testThatImageDownloadSucceedsWhenDuplicateRequestIsSentToImageView":
                    "the same URL under way is not sent again, and both callers are called",
                "testThatPlaceholderImageIsSetIfRequestFails":
                    "after a failure the placeholder stays, and failure has the error",
                "testResponseIsNilWhenLoadedFromCache":
                    "a kept picture is shown before the call returns, without the placeholder",
                "testThatImageCanBeCancelledAndDownloadedImmediately":
                    "a cancelled picture does not come, and can be asked for again at once",
                "testThatImageDownloadFailsWhenUsingMalformedURLRequest": withoutURL,
                "testThatNilURLDoesntCrash": withoutURL,
            ])
        + file(
            "AFUIButtonTests", answeredBy: "KeyedImageDisplayingTests",
            [
                "testThatBackgroundImageChanges": "each state and place has a download of its own",
                "testThatForegroundImageCanBeCancelledAndDownloadedImmediately": again,
                "testThatBackgroundImageCanBeCancelledAndDownloadedImmediately": again,
            ])
        + file(
            "AFNetworkActivityManagerTests", answeredBy: "NetworkActivityManagerTests",
            [
                "testThatNetworkActivityIndicatorTurnsOnAndOffIndicatorWhenRequestSucceeds":
                    "tasks of both later eras are counted by their notifications, each once",
                "testThatNetworkActivityIndicatorTurnsOnAndOffIndicatorWhenRequestFails":
                    "tasks of both later eras are counted by their notifications, each once",
                "testThatVisibilityDelaysAreApplied":
                    "with a start delay short work shows nothing, longer work is shown when it passes",
                "testThatIndicatorBlockIsOnlyCalledOnceEachForStartAndEndForMultipleRequests":
                    "activity within the delay keeps the indicator, without a word",
                "testThatIndicatorKVOOnlyTriggerOnce":
                    "eight threads end at zero, with true and false in turn",
            ])
        + file(
            "AFUIActivityIndicatorViewTests", answeredBy: "WorkBindingTests",
            [
                "testTaskDidResumeNotificationDoesNotCauseCrashForAIVWithTask": followed,
                "testTaskDidCompleteNotificationDoesNotCauseCrashForAIVWithTask": followed,
                "testTaskDidSuspendNotificationDoesNotCauseCrashForAIVWithTask": followed,
            ])
        + file(
            "AFUIRefreshControlTests", answeredBy: "WorkBindingTests",
            [
                "testTaskDidResumeNotificationDoesNotCauseCrashForUIRCWithTask": followed,
                "testTaskDidCompleteNotificationDoesNotCauseCrashForUIRCWithTask": followed,
                "testTaskDidSuspendNotificationDoesNotCauseCrashForUIRCWithTask": followed,
            ])

    private static let withoutURL =
        "without a URL the old one is cancelled, and placeholder and failure come at once"
    private static let again = "a picture can be cancelled and asked for again at once"
    private static let followed = "it follows resume, suspend and the end of a task"
}
