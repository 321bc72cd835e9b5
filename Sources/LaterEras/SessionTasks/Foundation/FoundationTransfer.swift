import Foundation
import FoundationNetworking
import Locking

/// A task of Foundation's, as one transfer of a task.
///
/// ## Concurrency
/// Call from: any thread, one step at a time. Lock: one around the task. Calls out on: nobody.
/// Foundation's steps wait for the queue that all its sessions share.
final class FoundationTransfer: TaskTransfer {
    let raw: URLSessionTask
    private let table: RawTaskTable
    private let owner = Locked<SessionTask?>(nil)

    init(_ raw: URLSessionTask, _ table: RawTaskTable) {
        self.raw = raw
        self.table = table
    }

    var taskIdentifier: Int { raw.taskIdentifier }
    var urlSessionTask: URLSessionTask? { raw }
    var currentRequest: URLRequest? { raw.currentRequest.map(BodyFraming.shown) }
    var response: URLResponse? { raw.response }
    /// Foundation starts a suspended transfer from its first byte (LX-06).
    var canBeHeld: Bool { false }

    /// The task, until Foundation's has ended.
    var task: SessionTask? { owner.withLock { $0 } }

    func prepare() {}

    func attach(to task: SessionTask) {
        owner.withLock { $0 = task }
        table.begin(self)
    }

    /// Foundation has made its last call.
    func forgetTask() {
        let old = owner.withLock { task in
            defer { task = nil }
            return task
        }
        withExtendedLifetime(old) {}
    }

    func resume() { raw.resume() }

    func suspend() {}

    func rest(while isReaderBehind: @escaping @Sendable () -> Bool) {}

    /// Cancels in two steps: the suspension takes the transfer from libcurl, and reading the
    /// priority waits until that is done. Without them Foundation crashes when a cancellation meets
    /// the transfer's own end, because it looks for a task that it has removed.
    func cancel() {
        if raw.state == .running {
            raw.suspend()
            _ = raw.priority
        }
        raw.cancel()
    }

    func abandon() {
        table.end(raw)
        forgetTask()
        raw.cancel()
    }
}
