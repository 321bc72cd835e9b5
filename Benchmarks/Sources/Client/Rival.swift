import Foundation

/// How one request ended.
struct Reply {
    var isGood: Bool
    var byteCount = 0
    var body: Data?
    /// What was made of a JSON body.
    var object: Any?
}

/// Somebody who makes requests.
protocol Rival: AnyObject, Sendable {
    init(_ assignment: Assignment)

    /// Starts, or enqueues, one request; `ended` is called once, anywhere.
    func get(_ ended: @escaping @Sendable (Reply) -> Void)

    /// Small requests for some seconds; a loop around `get`, unless the rival has another way.
    func runMany(_ assignment: Assignment, into outcome: inout Outcome)

    /// Whether requests that are enqueued now wait; nothing for who has no queue.
    func hold(_ isHeld: Bool)

    /// Enqueues many requests; `allEnded` is called once.
    func enqueue(_ count: Int, _ allEnded: @escaping @Sendable () -> Void)

    func cancelAll()

    /// One large body to nowhere, or to a file.
    func down(to path: String?, _ ended: @escaping @Sendable (Reply) -> Void)

    /// One large body from a file, through a stream.
    func up(from path: String, _ ended: @escaping @Sendable (Reply) -> Void)
}

extension Rival {
    func runMany(_ assignment: Assignment, into outcome: inout Outcome) {
        ClosedLoop(self, atOnce: assignment.atOnce).run(assignment, into: &outcome)
    }

    func enqueue(_ count: Int, _ allEnded: @escaping @Sendable () -> Void) {
        let left = Countdown(count, then: allEnded)
        for _ in 0..<count {
            get { _ in left.one() }
        }
    }

    func hold(_ isHeld: Bool) {}
}

/// The rivals by name.
enum Rivals {
    private static let makers: [(String, @Sendable (Assignment) -> any Rival)] = [
        ("manager", { ManagerRival($0) }),
        ("manager-main", { ManagerOnMainRival($0) }),
        ("manager-download", { ManagerDownloadRival($0) }),
        ("operation", { OperationRival($0) }),
        ("operation-completion", { OperationWithCompletionRival($0) }),
        ("manager-recording", { RecordingRival($0) }),
        ("session-era", { SessionEraRival($0) }),
        ("request-era", { RequestEraRival($0) }),
        ("image-downloader", { ImageDownloaderRival($0) }),
        ("image-decoding", { ImageDecodingRival($0) }),
        ("image-cache", { ImageCacheRival($0) }),
        ("urlsession", { URLSessionRival($0) }),
        ("dispatch", { DispatchRival($0) }),
    ]

    static var names: [String] { makers.map(\.0) }

    static func make(_ name: String, _ assignment: Assignment) -> (any Rival)? {
        makers.first { $0.0 == name }?.1(assignment)
    }
}
