import Foundation
import FoundationNetworking
import Lessons
import Locking
import LoopbackServer
import OperationNetworking
import SessionEra
import SessionTasks

/// Lesson 14: one delegate for all tasks, and swizzled methods.
enum DelegateExperiment {
    static func run() throws -> ExperimentResult {
        let (correct, mistaken) = (try managed(), try withOneBuffer())
        let (once, twice) = (Patching.calls(patchedBy: 1), Patching.calls(patchedBy: 2))
        return ExperimentResult(
            variants: ["correct", "oneBuffer", "patchedTwice"],
            facts: [
                .init(
                    Words(
                        "body of the first task, which the server sent as AB",
                        "第一个任务的 body（服务器发送 AB）"),
                    [correct.first, mistaken.first, "-"]),
                .init(
                    Words("body of the second, sent as C meanwhile", "第二个任务的 body（其间发送 C）"),
                    [correct.second, mistaken.second, "-"]),
                .init(
                    Words("notifications of one `resume`", "一次 resume 产生的通知次数"),
                    [once.announcements, "-", twice.announcements]),
                .init(
                    Words("`resume` comes to an end", "resume 能够返回"),
                    [once.ends, "-", twice.ends]),
            ],
            answer: mistaken.second == "C" ? 1 : mistaken.second == "AC" ? 3 : 2)
    }

    private typealias Bodies = (first: String, second: String)

    /// Loads two bodies: the second task gets its whole body while the first has half of its own.
    private static func bodies(
        _ server: LoopbackServer, first: () -> Void, hasHalf: Moment, second: () -> Void,
        _ ends: [Outcome<String>]
    ) -> Bodies {
        server.add("/other") { _ in .text("C") }
        first()
        _ = hasHalf.wait()
        second()
        let other = ends[1].wait() ?? "nothing"
        server.release("second")
        return (ends[0].wait() ?? "nothing", other)
    }

    /// With the manager's design: an object for each task, found by the task.
    private static func managed() throws -> Bodies {
        try withServer(of: "correct") { server in
            let manager = HTTPSessionManager(baseURL: server.baseURL)
            manager.responseSerializer = HTTPResponseSerializer()
            manager.completionQueue = DispatchQueue(label: "completion queue")
            let (half, ends) = (Moment(), [Outcome<String>(), Outcome<String>()])
            manager.setDataTaskDidReceiveDataBlock { _, _, _ in half.signal() }
            let tasks = zip(["/pieces", "/other"], ends).map { path, end in
                let request = URLRequest(url: server.url(path))
                return manager.dataTask(with: request, uploadProgress: nil, downloadProgress: nil) {
                    _, object, _ in
                    end.comes(String(decoding: object as? Data ?? Data(), as: UTF8.self))
                }
            }
            return bodies(
                server, first: { tasks[0].resume() }, hasHalf: half, second: { tasks[1].resume() },
                ends)
        }
    }

    private static func withOneBuffer() throws -> Bodies {
        try withServer(of: "oneBuffer") { server in
            let (half, ends) = (Moment(), [Outcome<String>(), Outcome<String>()])
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            let session = TaskSession(
                configuration: .default,
                delegate: OneBuffer(signals: half, ends), delegateQueue: queue)
            defer { session.invalidateAndCancel() }
            let tasks = ["/pieces", "/other"].map {
                session.dataTask(with: URLRequest(url: server.url($0)))
            }
            return bodies(
                server, first: { tasks[0].resume() }, hasHalf: half, second: { tasks[1].resume() },
                ends)
        }
    }
}

/// The mistake: the session's only delegate stores a task's body in a property of its own.
///
/// ## Concurrency
/// Called on: the session's delegate queue. Lock: one around the bytes.
private final class OneBuffer: TaskSessionDelegate {
    private let received = Locked(Data())
    private let first: Moment
    private let ends: [Outcome<String>]

    /// - Parameter first: signalled at the first bytes of a body.
    init(signals first: Moment, _ ends: [Outcome<String>]) {
        self.first = first
        self.ends = ends
    }

    func handle(_ event: TaskEvent, of task: SessionTask, in session: TaskSession) {
        switch event {
        case .data(let data):
            received.withLock { $0 += data }
            first.signal()
        case .ended: end(task)
        default: break
        }
    }

    private func end(_ task: SessionTask) {
        let body = received.withLock { received in
            defer { received = Data() }
            return received
        }
        let isFirst = task.originalRequest?.url?.path == "/pieces"
        ends[isFirst ? 0 : 1].comes(String(decoding: body, as: UTF8.self))
    }
}

/// Lesson 14: a table of methods that can be swizzled, as in Objective-C.
///
/// Swift on Linux has no swizzling, so this is a model of it. AFNetworking swizzled `resume` and
/// `suspend` of the system's tasks to post notifications; this package's tasks post them themselves.
enum Patching {
    /// What a method gets: the object's class, and what has happened so far.
    struct Call {
        let type: Class
        var announcements = 0
        var depth = 0
    }

    typealias Method = (inout Call) -> Void

    /// A class: its methods by name, and its superclass.
    final class Class {
        let above: Class?
        var methods: [String: Method] = [:]

        init(_ above: Class? = nil) {
            self.above = above
        }

        /// Calls the method of a name: the class's own, or its superclass's.
        func call(_ name: String, _ call: inout Call) {
            call.depth += 1
            // In a program the stack would overflow.
            guard call.depth < 100 else { return }
            if let method = methods[name] { method(&call) } else { above?.call(name, &call) }
        }

        /// Exchanges `resume` and a new method `af_resume`.
        func patchResume() {
            let old = methods["resume"]
            methods["resume"] = { call in
                // Called by name: the table has only one method per name, however often it was swizzled.
                call.type.call("af_resume", &call)
                call.announcements += 1
            }
            methods["af_resume"] = old
        }
    }

    /// The system's task is of a private subclass. Each copy of the library swizzles it: the second
    /// one takes the first one's method for the system's.
    ///
    /// - Parameter copies: how many copies of the library are in the program.
    /// - Returns: how many notifications one `resume` posts, and whether it returns.
    static func calls(patchedBy copies: Int) -> (announcements: Int, ends: Bool) {
        let localTask = Class(Class())
        localTask.methods["resume"] = { _ in }
        for _ in 0..<copies { localTask.patchResume() }
        var call = Call(type: localTask)
        localTask.call("resume", &call)
        return (call.announcements, call.depth < 100)
    }
}
