import ParitySupport
import SessionTasks
import TestSupport

@testable import RequestEra

/// One run of a scenario: a server, a manager, and what happened.
@MainActor
final class TraceStage {
    let log = TraceLog()
    let server: LoopbackServer
    /// Nil when a scenario let it go.
    var manager: SessionManager?
    let delegate: SessionDelegate
    let queueA = TraceThread.queue("A")
    let queueB = TraceThread.queue("B")
    let queueC = TraceThread.queue("C")
    private let files = TemporaryFolder()
    var folder: URL { files.url }
    private let observers: [any NSObjectProtocol]

    init(isTimed: Bool) throws {
        server = TraceServer.make(isTimed: isTimed)
        try server.start()
        let manager = SessionManager(configuration: .ephemeral)
        self.manager = manager
        delegate = manager.delegate
        observers = Self.observe(log, ObjectIdentifier(delegate))
    }

    func close() {
        observers.forEach { NotificationCenter.default.removeObserver($0) }
        server.stop()
    }

    private nonisolated static func observe(
        _ log: TraceLog, _ delegate: ObjectIdentifier
    ) -> [any NSObjectProtocol] {
        let names = [
            Notification.Name.Task.DidResume: "DidResume",
            Notification.Name.Task.DidSuspend: "DidSuspend",
            Notification.Name.Task.DidCancel: "DidCancel",
            Notification.Name.Task.DidComplete: "DidComplete",
        ]
        return names.map { name, word in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                var members: [String: GoldenValue] = [
                    "name": .string(word),
                    "taskInUserInfo": .bool(note.userInfo?[Notification.Key.Task] is SessionTask),
                ]
                if let request = note.object as? Request,
                    ObjectIdentifier(request.home) == delegate
                {
                    members["object"] = .string("request \(log.name(request))")
                } else if let object = note.object as? SessionDelegate,
                    ObjectIdentifier(object) == delegate
                {
                    members["object"] = "the session delegate"
                    let data = note.userInfo?[Notification.Key.ResponseData] as? Data
                    members["responseDataCount"] = data.map { .int($0.count) } ?? .absent
                } else {
                    return
                }
                log.add("notification", members)
            }
        }
    }

    // MARK: - Requests

    var current: SessionManager {
        guard let manager else { preconditionFailure("The scenario let its manager go.") }
        return manager
    }

    func url(_ path: String) -> String {
        server.url(path).absoluteString + (path.contains("?") ? "&k=1" : "?k=1")
    }

    func get(_ path: String, headers: HTTPHeaders? = nil) -> DataRequest {
        seen(current.request(url(path), headers: headers))
    }

    func seen<Made: Request>(_ request: Made) -> Made {
        log.name(request)
        return request
    }

    /// A download; to the file "f" of a folder where a destination is wanted.
    func download(
        _ path: String, to options: DownloadRequest.DownloadOptions? = nil, in folder: String = "",
        noting: Bool = false
    ) -> DownloadRequest {
        let place = self.folder.appendingPathComponent(folder).appendingPathComponent("f")
        guard let options else { return seen(current.download(url(path))) }
        let log = log
        let request = current.download(url(path)) { _, response in
            if noting { log.add("destination", ["status": .int(response.statusCode)]) }
            return (destinationURL: place, options: options)
        }
        return seen(request)
    }

    var file: URL { folder.appendingPathComponent("f") }

    func upload(_ data: Data, _ path: String) -> UploadRequest {
        seen(current.upload(data, to: url(path)))
    }

    func call(_ members: [String: GoldenValue]) {
        log.add("caller", members)
    }

    /// Lets `/slow` go on.
    func release() { server.release(TraceServer.gate) }

    /// Lets the server answer: not before a scenario has added its validations and handlers, which
    /// race with the answer otherwise.
    func begin() { server.release(TraceServer.beginning) }

    /// Waits until the server has so many requests.
    func served(_ count: Int = 1) async {
        begin()
        _ = await server.sees { _, requests in requests.count >= count }
    }

    func handlers(_ count: Int) async { await reaches(count, "handler") }

    /// Waits for so many events of a kind.
    func reaches(_ count: Int, _ kind: String) async {
        begin()
        await log.reaches(count, kind)
    }

    /// Waits until everything that was begun on the queues is done.
    func settle() async {
        begin()
        for _ in 0..<3 {
            for request in log.requests {
                let queue = request.taskSession.delegateQueue
                await withCheckedContinuation { continuation in
                    queue.addOperation { continuation.resume() }
                }
                let own = request.delegate.queue
                if !own.isSuspended {
                    await onNewThread { own.waitUntilAllOperationsAreFinished() }
                }
            }
            await withCheckedContinuation { continuation in
                DispatchQueue.global(qos: .utility).async { continuation.resume() }
            }
            await MainQueue.settle()
        }
    }

    // MARK: - The state at the end

    func final() -> GoldenValue {
        var members = log.extra
        for request in log.requests {
            members[log.name(request)] = state(of: request)
        }
        if members["handlersCalled"] == nil {
            members["handlersCalled"] = .int(log.events.count { $0["e"]?.string == "handler" })
        }
        members["requestsInMap"] = .int(delegate.taskCount)
        members["serverSaw"] = .array(server.requests.map(TraceServer.seen))
        return .object(members)
    }

    private func state(of request: Request) -> GoldenValue {
        let task = request.task
        var members: [String: GoldenValue] = [
            "description": .string(
                request.description
                    .replacingOccurrences(of: server.url("/").absoluteString, with: "{base}/")
                    .replacingOccurrences(of: "k=1", with: "k={k}")),
            "error": short(request.delegate.error),
            "handlersStillQueued": .int(request.delegate.queue.operationCount),
            "hasTask": .bool(task != nil),
            "inMap": .bool(task.map { delegate[$0] != nil } ?? false),
            "queueSuspended": .bool(request.delegate.queue.isSuspended),
            "retryCount": .int(Int(request.retryCount)),
            "status": request.response.map { .int($0.statusCode) } ?? .absent,
        ]
        if let task { members["taskState"] = .string(Self.word(task.state)) }
        if let download = request as? DownloadRequest {
            members["resumeData"] = download.resumeData == nil ? "nil" : "set"
        } else {
            members["dataCount"] = count(request.delegate.data)
        }
        return .object(members)
    }

    private static func word(_ state: URLSessionTask.State) -> String {
        switch state {
        case .running: "running"
        case .suspended: "suspended"
        case .canceling: "canceling"
        case .completed: "completed"
        @unknown default: "unknown"
        }
    }
}

func count(_ data: Data?) -> GoldenValue { data.map { .int($0.count) } ?? .absent }

extension TraceStage {
    func write(_ text: String) throws -> URL {
        let file = folder.appendingPathComponent("body")
        try Data(text.utf8).write(to: file)
        return file
    }

    func stream(_ text: String, _ path: String, headers: HTTPHeaders? = nil) -> UploadRequest {
        seen(
            current.upload(
                InputStream(data: Data(text.utf8)), to: url(path), headers: headers))
    }
}
