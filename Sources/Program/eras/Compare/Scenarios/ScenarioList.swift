/// The scenarios, in the order in which they are run and shown.
enum ScenarioList {
    static let all: [any Scenario] = [
        TenJSONGets(), ThirtyGetsOneHost(), DependencyChain(), ChainAfterFailure(), Batch(),
        CancelOne(), CancelAll(), PausedDownload(), SuspendedTask(), UploadWithProgress(),
        MultipartForm(), RedirectElsewhere(), BasicAndDigest(), NotFoundWithReason(),
        WrongContentType(), TimeOutWhileQueued(), SlowCompletionBlock(), ConnectionRefused(),
        CachedResponse(), HandlersAddedLate(), RetryWithNewToken(), TokenInEveryRequest(),
        TrustByPolicy(), ProgressOfTwoUploads(), TimesOfOneGet(), HundredViews(), CellUsedAgain(),
        CancelOneReceipt(), MemoryPressure(), WaitAndCancel(), EventStream(), RetryAfterOneSecond(),
        CutDownload(), PriorityOnTheWire(), CallbacksInOrder(), LimitOfAGroup(),
        OrderThatMustArrive(), LocalAddresses(), MovedForm(),
    ]

    static func scenario(_ id: String) -> (any Scenario)? {
        all.first { $0.id == id }
    }
}
