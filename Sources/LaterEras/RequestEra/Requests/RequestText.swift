import EventRecorder

/// The texts of recorded events, each interned once.
enum RequestText {
    static let adapter = EventText(fixed: "adapter")
    static let validation = EventText(fixed: "validation")
    static let retrier = EventText(fixed: "retrier")
    static let destination = EventText(fixed: "destination")

    static let resumed = EventText(fixed: "resumed")
    static let suspended = EventText(fixed: "suspended")
    static let cancelled = EventText(fixed: "cancelled")
    static let retries = EventText(fixed: "retry")
    static let doesNotRetry = EventText(fixed: "no retry")
    static let answerIgnored = EventText(fixed: "answer ignored")
    static let begins = EventText(fixed: "next attempt")
    static let endPosted = EventText(fixed: "end posted")
    static let queueOpened = EventText(fixed: "queue opened")
    static let requestQueue = EventText(fixed: "the request's queue")
    static let delegateQueue = EventText(fixed: "the session's delegate queue")
    static let validationTooLate = EventText(fixed: "validation too late")
}
