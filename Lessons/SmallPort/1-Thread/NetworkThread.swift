public import Foundation

/// The mistakes of the first day.
public enum Mistake: String, CaseIterable, Sendable {
    /// One request after the other: the thread waits for each.
    case inTurn
    /// A thread for each request.
    case threadEach
}

/// How a request ended.
public struct Ending: Sendable {
    /// What was fetched.
    public var url: URL
    /// What came of it.
    public var body: Data
    /// Why there is no whole body.
    public var error: ConnectionError?
    /// The thread that had it.
    public var thread: UInt
}

/// State 1: a thread that has all requests, and waits for all of them at once.
///
/// `poll` is the only place where it waits. What it is to fetch is known before it starts: no other
/// thread can give it more, and it ends when all are over.
public enum NetworkThread {
    /// Fetches all, and calls `ended` for each on the thread that had it.
    public static func fetch(
        _ urls: [URL], mistake: Mistake? = nil, _ ended: @escaping @Sendable (Ending) -> Void
    ) {
        let threads = mistake == .threadEach ? urls.map { [$0] } : [urls]
        for urls in threads {
            Thread.detachNewThread {
                let turns = mistake == .inTurn ? urls.map { [$0] } : [urls]
                for urls in turns { run(urls, ended) }
            }
        }
    }

    private static func run(_ urls: [URL], _ ended: @escaping @Sendable (Ending) -> Void) {
        var connections = urls.map { url in
            var body = Data()
            return Connection(to: url) { event in
                switch event {
                case .received(let piece): body += piece
                case .ended(let error):
                    ended(Ending(url: url, body: body, error: error, thread: pthread_self()))
                }
            }
        }
        while !connections.isEmpty {
            var sockets = connections.map { connection in
                let events = Int16(connection.wantsToSend ? POLLOUT : POLLIN)
                return pollfd(fd: connection.descriptor, events: events, revents: 0)
            }
            // Here the thread sleeps, until one of the sockets is ready.
            poll(&sockets, nfds_t(sockets.count), -1)
            let ready = Set(sockets.filter { $0.revents != 0 }.map(\.fd))
            connections.removeAll { ready.contains($0.descriptor) && $0.advance() }
        }
    }
}
