import CoreFoundation
import Foundation
import FoundationNetworking
import Lessons
import Locking
import LoopbackServer
import OperationNetworking
import SessionEra

/// Lesson 12: what the system does since URLSession, and what callers lost by it.
enum EraExperiment {
    /// The number of requests, and how many may run at the same time.
    private static let (count, limit) = (10, 4)

    private struct Sight {
        var beforeTheFirst = 0
        var running = 0
        var atTheServer = 0
        var connections = 0
        var downloads = 0
        var isInLoop = false
    }

    static func run() throws -> ExperimentResult {
        let sights = [try operations(), try tasks()]
        return ExperimentResult(
            variants: ["operations", "tasks"],
            facts: [
                .init(
                    Words(
                        "requests at the server before the first one of two has ended",
                        "两个请求中第一个结束之前，服务器收到的请求数"),
                    sights.map(\.beforeTheFirst)),
                .init(
                    Words(
                        "of \(count) with a limit of \(limit), running as they say themselves",
                        "\(count) 个请求、上限 \(limit)：自称正在运行的个数"),
                    sights.map(\.running)),
                .init(Words("of these, at the server", "其中到达服务器的个数"), sights.map(\.atTheServer)),
                .init(Words("connections for them", "它们使用的连接数"), sights.map(\.connections)),
                .init(
                    Words(
                        "requests of a download that was paused in the middle",
                        "中途暂停过的下载发出的请求数"),
                    sights.map(\.downloads)),
                .init(
                    Words("the era's own callbacks come from a run loop", "库自身的回调来自 RunLoop"),
                    sights.map(\.isInLoop)),
            ],
            answer: sights[0].beforeTheFirst == 1 ? (sights[1].beforeTheFirst == 2 ? 3 : 1) : 2)
    }

    // MARK: The connection era

    private static func operations() throws -> Sight {
        var sight = Sight()
        sight.beforeTheFirst = try withServer(of: "operations") { server in
            let (manager, ends) = (connectionManager(server), Outcome<Bool>())
            let first = operation(manager, server.url("/held"))
            let second = operation(manager, server.url("/plain")) { ends.comes(true) }
            second.addDependency(first)
            for operation in [first, second] { manager.enqueue(operation) }
            return requestsBeforeRelease(server, atMost: 1, ends)
        }
        (sight.running, sight.atTheServer, sight.connections) = try withServer(of: "operations") {
            server in
            let manager = connectionManager(server)
            manager.maxConcurrentOperationCount = limit
            let ended = Locked(0)
            for _ in 0..<count {
                manager.enqueue(
                    operation(manager, server.url("/held")) { ended.withLock { $0 += 1 } })
            }
            server.reaches("held", count: limit)
            let running = manager.operationQueue.operations.count(where: \.isExecuting)
            return (running, server.requests.count, finish(server, ended))
        }
        sight.downloads = try withFilm("operations") { server in
            let (manager, ends) = (connectionManager(server), Outcome<Bool>())
            let film = operation(manager, server.url("/film")) { ends.comes(true) }
            film.setDownloadProgressBlock { [weak film] _, total, _ in
                guard total == middle else { return }
                film?.pause()
                server.waits { statistics, _ in
                    statistics.abandoned == 1
                }
                server.release("door")
                film?.resume()
            }
            manager.enqueue(film)
            _ = ends.wait()
        }
        sight.isInLoop = try withServer(of: "operations") { server in
            let (manager, isInLoop) = (connectionManager(server), Outcome<Bool>())
            let get = operation(manager, server.url("/plain"))
            get.setRedirectResponseBlock { _, request, _ in
                isInLoop.comes(Self.isInLoop)
                return request
            }
            manager.enqueue(get)
            return isInLoop.wait() ?? false
        }
        return sight
    }

    /// Whether the thread is inside a run of its run loop.
    private static var isInLoop: Bool { CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()) != nil }

    private static func operation(
        _ manager: HTTPRequestOperationManager, _ url: URL,
        _ then: @escaping @Sendable () -> Void = {}
    ) -> HTTPRequestOperation {
        manager.httpRequestOperation(with: URLRequest(url: url)) { _, _ in
            then()
        } failure: { _, _ in
            then()
        }
    }

    // MARK: The session era

    private static func tasks() throws -> Sight {
        var sight = Sight()
        sight.beforeTheFirst = try withServer(of: "tasks") { server in
            let (manager, ends) = (sessionManager(server), Outcome<Bool>())
            // A task has no dependencies: it can only be resumed after the other.
            task(manager, server.url("/held")).resume()
            task(manager, server.url("/plain")) { ends.comes(true) }.resume()
            return requestsBeforeRelease(server, atMost: 2, ends)
        }
        (sight.running, sight.atTheServer, sight.connections) = try withServer(of: "tasks") {
            server in
            let manager = sessionManager(server)
            let ended = Locked(0)
            for _ in 0..<count {
                task(manager, server.url("/held")) { ended.withLock { $0 += 1 } }.resume()
            }
            server.reaches("held", count: limit)
            let running = manager.tasks.count { $0.state == .running }
            return (running, server.requests.count, finish(server, ended))
        }
        sight.downloads = try withFilm("tasks") { server in
            let (manager, ends) = (sessionManager(server), Outcome<Bool>())
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("lesson-12-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            let half = Outcome<Bool>()
            let film = manager.downloadTask(with: URLRequest(url: server.url("/film"))) {
                if $0.completedUnitCount == middle { half.comes(true) }
            } destination: { _, _ in
                file
            } completionHandler: { _, _, _ in
                ends.comes(true)
            }
            film.resume()
            _ = half.wait()
            film.suspend()
            server.release("door")
            film.resume()
            _ = ends.wait()
        }
        sight.isInLoop = try withServer(of: "tasks") { server in
            let (manager, isInLoop) = (sessionManager(server), Outcome<Bool>())
            manager.setDataTaskDidReceiveDataBlock { _, _, _ in isInLoop.comes(Self.isInLoop) }
            task(manager, server.url("/plain")).resume()
            return isInLoop.wait() ?? true
        }
        return sight
    }

    private static func sessionManager(_ server: LoopbackServer) -> HTTPSessionManager {
        let configuration = URLSessionConfiguration.default
        configuration.httpMaximumConnectionsPerHost = limit
        let manager = HTTPSessionManager(
            baseURL: server.baseURL, sessionConfiguration: configuration)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "completion queue")
        return manager
    }

    private static func task(
        _ manager: HTTPSessionManager, _ url: URL, _ then: @escaping @Sendable () -> Void = {}
    ) -> SessionDataTask {
        manager.dataTask(with: URLRequest(url: url), uploadProgress: nil, downloadProgress: nil) {
            _, _, _ in
            then()
        }
    }

    // MARK: The server

    /// Counts requests while the server holds the first: one that does not wait for it arrives soon.
    private static func requestsBeforeRelease(
        _ server: LoopbackServer, atMost expected: Int, _ ends: Outcome<Bool>
    ) -> Int {
        server.reaches("held")
        _ = server.receives(2, within: Patience.forWhat(happens: expected == 2))
        let requests = server.requests.count
        server.release("held")
        _ = ends.wait()
        return requests
    }

    /// Releases all responses, and waits for the ends; returns how many connections they used.
    private static func finish(_ server: LoopbackServer, _ ended: Locked<Int>) -> Int {
        server.release("held")
        _ = Patience.until { ended.withLock { $0 } == count }
        return server.statistics.connectionsAccepted
    }

    private static let (middle, end) = (Int64(100_000), Int64(200_000))

    /// Serves a film whose second half waits at a gate, except where a range request asks for it.
    private static func withFilm(
        _ variant: String, _ body: (LoopbackServer) throws -> Void
    ) throws -> Int {
        try withServer(of: variant) { server in
            server.add("/film") { request in
                let whole = ScriptedResponse.generatedFile(seed: 8, length: end, request: request)
                guard request.headers["Range"] == nil else { return whole }
                return ScriptedResponse(
                    whole.steps.dropLast() + [
                        .generated(seed: 8, range: 0..<middle), .wait(gate: "door"),
                        .generated(seed: 8, range: middle..<end),
                    ])
            }
            try body(server)
            return server.requests.count
        }
    }
}
