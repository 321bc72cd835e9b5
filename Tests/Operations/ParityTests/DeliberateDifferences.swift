import ParitySupport
import TestSupport

/// One event or field that differs from the recording.
///
/// Events are named as `operation.what @thread`.
enum Change: Sendable, Equatable {
    /// Another event in its place; of equal events it is the last.
    case event(String, becomes: String)
    case gone(String)
    /// The second comes before the first.
    case reversed(String, String)
    case final(String, String, GoldenValue)
    case extra(String, GoldenValue)
    /// These events in place of all that are recorded, but for progress. What one thread tells is
    /// in this order, and the end comes before the completion.
    case events([String])
}

/// A scenario that differs from its recording because a wound is repaired; the rest is compared.
struct DeliberateDifference: Sendable {
    let id: String
    /// The number in `Documentation/Statements.md`.
    let wound: Int
    let reason: String
    let changes: [Change]

    /// The changes of a scenario.
    static func changes(of id: String) -> [Change] {
        all.filter { $0.id == id }.flatMap(\.changes)
    }

    /// Whether all events of a scenario are listed.
    static func listsEvents(of id: String) -> Bool {
        changes(of: id).contains {
            if case .events = $0 { true } else { false }
        }
    }

    static let all = [
        DeliberateDifference(
            id: "cancel-on-isExecuting", wound: 52,
            reason: "Every start notification has its finish notification, which comes after it.",
            changes: [.reversed("A.finish notification @main", "A.start notification @main")]),
        DeliberateDifference(
            id: "pause-before-start", wound: 14,
            reason: "An operation of a queue is started by its queue, not by resume.",
            changes: [
                .event("A.isReady 1>0 @main", becomes: "A.isReady 1>0 @opqueue"),
                .event("A.isExecuting 0>1 @main", becomes: "A.isExecuting 0>1 @opqueue"),
            ]),
        DeliberateDifference(
            id: "pause-resume-memory-206", wound: 56,
            reason: "After a resume progress counts the whole, not the remainder.",
            changes: [
                wholeTotal(3_000, of: 4_000), wholeTotal(4_000, of: 4_000),
                wholeTotal(5_000, of: 4_000), wholeTotal(6_000, of: 4_000),
            ]),
        DeliberateDifference(
            id: "pause-resume-immediate", wound: 56,
            reason: "After a resume progress counts the whole, not the remainder.",
            changes: [
                wholeTotal(4_000, of: 3_000), wholeTotal(5_000, of: 3_000),
                wholeTotal(6_000, of: 3_000),
            ]),
        DeliberateDifference(
            id: "pause-resume-file-append-206", wound: 9,
            reason: "A file is continued where it stopped; nothing is written to it twice.",
            changes: [
                .gone("A.downloadProgress 1000,7000,6000 @main"),
                .gone("A.downloadProgress 1000,8000,6000 @main"),
                .event(pauseReturned("bytes=0-"), becomes: pauseReturned("bytes=2000-")),
                .final(
                    "A", "requestHeaders", ["If-Range": "\"drip1\"", "Range": "bytes=2000-"]),
                .final("A", "totalBytesRead", 6_000), .extra("fileLength", 6_000),
            ]),
        DeliberateDifference(
            id: "outputStream-file", wound: 10,
            reason: "Bytes reported as received are in the file; the recorder's stream lost some.",
            changes: [.extra("fileLength", 3_000)]),
        DeliberateDifference(
            id: "outputStream-devfull-one-chunk", wound: 10,
            reason: "A failed write fails the operation, also for the last piece.",
            changes: [
                .gone("A.downloadProgress 11,11,11 @main"),
                .event(
                    "A.success isFinished=1 objectClass=null @main",
                    becomes: "A.failure isFinished=1 error=NSPOSIXErrorDomain/28 underlying=- @main"
                ),
                .final("A", "error", error(NSPOSIXErrorDomain, 28)),
                .final("A", "totalBytesRead", 0),
            ]),
        DeliberateDifference(
            id: "outputStream-devfull-many-chunks", wound: 10,
            reason: "Bytes that could not be written are not counted as received.",
            changes: [
                .gone("A.downloadProgress 1000,1000,3000 @main"), .final("A", "totalBytesRead", 0),
            ]),
        DeliberateDifference(
            id: "completionBlock-nilled-when-shared-group-drains", wound: 15,
            reason: "A completion block is gone after its own delivery, whatever others do.",
            changes: [
                .event(
                    "called 0.2 s after A-block A.completionBlockIsNil=0 @main",
                    becomes: "called 0.2 s after A-block A.completionBlockIsNil=1 @main")
            ]),
        DeliberateDifference(
            id: "setCompletionBlock-after-finish", wound: 15,
            reason: "A block that can never run is not kept.",
            changes: [.final("A", "completionBlockIsNil", 1)]),
        DeliberateDifference(
            id: "pause-then-cancel", wound: 13,
            reason: "A paused operation that is cancelled ends at once, not when it is resumed.",
            changes: [
                .events([
                    "A.isReady 1>0 @opqueue", "A.isExecuting 0>1 @opqueue",
                    "A.start notification @main", "A.isExecuting 1>0 @main",
                    "A.isPaused 0>1 @main", "A.isCancelled 0>1 @main",
                    "A.isPaused 1>0 @AFNetworking", "A.isFinished 0>1 @AFNetworking",
                    "A.finish notification @main",
                    "A.failure isFinished=1 error=NSURLErrorDomain/-999 underlying=- @main",
                ])
            ]),
        DeliberateDifference(
            id: "upload-multipart-auth", wound: 17,
            reason: "A form is sent again, with the same bytes, when it is asked for again.",
            changes: [
                .event(
                    "A.failure isFinished=1 error=NSURLErrorDomain/-1021 underlying=- @main",
                    becomes: "A.success isFinished=1 objectClass=NSData @main"),
                .final("A", "error", .null), .final("A", "responseDataLength", 10),
                .final("A", "responseObjectClass", "NSData"),
                .final("A", "responseString", "authorized"),
                .final("A", "responseStringEncoding", 4),
                .final("A", "responseURL", "{base}/auth"), .final("A", "statusCode", 200),
                .final("A", "totalBytesRead", 10),
            ]),
        DeliberateDifference(
            id: "manager-serialization-error", wound: 40,
            reason: "A request that cannot be built is one failure, not an exception as well.",
            changes: [.gone("exception name=NSInvalidArgumentException @main")]),
        DeliberateDifference(
            id: "manager-bad-url", wound: 38,
            reason: "A malformed URL is a failure, not an exception.",
            changes: [
                .event(
                    "exception name=NSInternalInconsistencyException @main",
                    becomes: "failure error=com.alamofire.error.serialization.request/-1000 "
                        + "operationNil=1 @main")
            ]),
    ]

    private static func pauseReturned(_ range: String) -> String {
        "called pause returned ifRange=\"drip1\" isPaused=1 isReady=0 range=\(range) @main"
    }

    private static func error(_ domain: String, _ code: Int) -> GoldenValue {
        ["domain": .string(domain), "code": .int(code), "userInfo": [:]]
    }

    private static func wholeTotal(_ total: Int, of remainder: Int) -> Change {
        .event(
            "A.downloadProgress 1000,\(total),\(remainder) @main",
            becomes: "A.downloadProgress 1000,\(total),6000 @main")
    }
}

/// Recorded scenarios that cannot be written in Swift, each with the reason.
enum Impossible {
    static let scenarios = [
        "responseSerializer-nil":
            "The property is not optional: what raised an exception does not compile."
    ]
}
