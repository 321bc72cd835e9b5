/// One event or field that differs from the recording.
///
/// Events are named as `operation.what @thread`.
enum Change: Sendable, Equatable {
    /// Another event in its place; of equal events it is the last.
    case event(String, becomes: String)
    case gone(String)
    /// The second comes before the first.
    case reversed(String, String)
    case final(String, String, JSONValue)
    case extra(String, JSONValue)
}

/// A scenario that differs from its recording because a wound is repaired; the rest is compared.
struct DeliberateDifference: Sendable {
    let id: String
    /// The number in `wounds.md`.
    let wound: Int
    let reason: String
    let changes: [Change]

    /// The changes of a scenario.
    static func changes(of id: String) -> [Change] {
        all.filter { $0.id == id }.flatMap(\.changes)
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
                    "A.completion isFinished=1 error=none @main",
                    becomes: "A.completion isFinished=1 error=NSPOSIXErrorDomain/28 @main"),
                .final("A", "error", "NSPOSIXErrorDomain/28"), .final("A", "totalBytesRead", 0),
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
    ]

    private static func wholeTotal(_ total: Int, of remainder: Int) -> Change {
        .event(
            "A.downloadProgress 1000,\(total),\(remainder) @main",
            becomes: "A.downloadProgress 1000,\(total),6000 @main")
    }
}
