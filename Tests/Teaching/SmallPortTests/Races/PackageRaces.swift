import CurlConnection
import EventRecorder
import OperationNetworking
import TestSupport

/// The same races with the package's own operations, held at the recorder's sites.
enum PackageRaces {
    /// The kernel's name of the network thread.
    private static let threadName = "races"

    /// What a showing has: an operation that has not been started.
    private struct Scene {
        let server: LoopbackServer
        let points: StopPoints
        let operation: HTTPRequestOperation
        let ends: Locked<[Bool]>

        func site(
            _ kind: Event.Kind, _ phase: Event.Phase?, text: String? = nil, on thread: String? = nil
        ) -> StopSite {
            StopSite(kind, phase, of: operation.number, text: text, on: thread)
        }

        /// Waits for the callback; how often it came, once the network thread has nothing left to do.
        func callbacks() -> Int {
            _ = becomes { !ends.withLock { $0 }.isEmpty }
            let isBehind = DispatchSemaphore(value: 0)
            operation.networkThread.perform(inModes: [.common]) { isBehind.signal() }
            isBehind.wait()
            operation.completionQueue?.sync {}
            return ends.withLock { $0.count }
        }
    }

    private static func show(_ body: (Scene) throws -> Bool) throws -> Bool {
        try withRace { server, points in
            let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/plain")))
            operation.networkThread = NetworkThread(name: threadName)
            operation.completionQueue = DispatchQueue(label: "completion")
            operation.configuration.responseCache = nil
            let ends = Locked<[Bool]>([])
            operation.setCompletionBlock { _, _ in
                ends.withLock { $0.append(true) }
            } failure: { _, _ in
                ends.withLock { $0.append(false) }
            }
            return try body(
                Scene(server: server, points: points, operation: operation, ends: ends))
        }
    }

    /// Defect 12: cancelled while the connection is made.
    static func cancelIsForgotten() throws -> Bool {
        try show { scene in
            let stop = scene.points.stop(
                at: scene.site(
                    .delegateCall, .begin, text: "connection(_:willSend:redirectResponse:)"))
            scene.operation.start()
            guard stop.isReached() else { return true }
            scene.operation.cancel()
            stop.letGo()
            return scene.callbacks() != 1 || !scene.operation.isFinished
        }
    }

    /// Defect 14: started by two threads.
    static func isStartedTwice() throws -> Bool {
        try show { scene in
            let operation = scene.operation
            // The first holds the lock, and is about to announce.
            let stop = scene.points.stop(at: scene.site(.operationState, nil))
            let threads = (0..<2).map { _ in RaceThread { operation.start() } }
            guard stop.isReached(), scene.points.isPassed(scene.site(.lockWait, .begin)) else {
                return true
            }
            stop.letGo()
            let haveReturned = threads.allSatisfy { $0.ends() }
            return !haveReturned || scene.callbacks() != 1 || scene.server.requests.count != 1
        }
    }

    /// Defect 28: cancelled between the last byte and the end.
    static func succeedsAfterCancel() throws -> Bool {
        try show { scene in
            let stop = scene.points.stop(
                at: scene.site(.delegateCall, .begin, text: "connectionDidFinishLoading(_:)"))
            scene.operation.start()
            guard stop.isReached() else { return true }
            scene.operation.cancel()
            stop.letGo()
            return scene.callbacks() != 1 || scene.ends.withLock { $0 } != [false]
                || (scene.operation.error as? URLError)?.code != .cancelled
        }
    }

    /// Defect 29: cancelled by another thread while the connection calls.
    static func isTouchedByTwoThreads() throws -> Bool {
        try show { scene in
            let stop = scene.points.stop(
                at: scene.site(.delegateCall, .begin, text: "connection(_:didReceive: data)"))
            scene.operation.start()
            guard stop.isReached() else { return true }
            let canceller = RaceThread { [operation = scene.operation] in operation.cancel() }
            // It returns while the thread is held: it leaves a message.
            guard canceller.ends() else { return true }
            stop.letGo()
            guard scene.callbacks() == 1 else { return true }
            let kinds: Set<Event.Kind> = [.delegateCall, .bytesReceived, .responseHead]
            return scene.points.passed.contains {
                $0.subject == scene.operation.number && kinds.contains($0.kind)
                    && $0.thread != threadName
            }
        }
    }

    /// Defect 55: a callback that waits for a thread that asks the operation.
    static func isStuckInCallback() throws -> Bool {
        try show { scene in
            let operation = scene.operation
            let stop = scene.points.stop(at: scene.site(.callback, .begin))
            operation.start()
            guard stop.isReached() else { return true }
            let reader = RaceThread {
                _ = (operation.responseData, operation.error, operation.description)
                operation.cancel()
            }
            defer { stop.letGo() }
            return !reader.ends()
        }
    }

    /// Defect 23 (#288, #1453, #1493): a batch ends before a block of one of its operations.
    static func batchIsEarly() throws -> Bool {
        try show { scene in
            let isOver = Locked(false)
            let stop = scene.points.stop(at: scene.site(.callback, .begin))
            let batch = URLConnectionOperation.batch(
                of: [scene.operation], progress: nil
            ) { _ in isOver.withLock { $0 = true } }
            let queue = OperationQueue()
            queue.addOperations(batch, waitUntilFinished: false)
            guard stop.isReached() else { return true }
            // The operation has finished, and its block has not run.
            _ = becomes { scene.operation.isFinished }
            let isEarly = isOver.withLock { $0 }
            stop.letGo()
            let comes = becomes { isOver.withLock { $0 } }
            return isEarly || !comes || scene.callbacks() != 1
        }
    }

    /// Defect 24 (#127, #207), which is kept: a dependent starts before the block of the operation it waits for.
    static func dependentStartsBeforeBlock() throws -> Bool {
        try show { scene in
            let url = scene.server.url("/empty")
            let dependent = HTTPRequestOperation(request: URLRequest(url: url))
            dependent.networkThread = scene.operation.networkThread
            dependent.addDependency(scene.operation)
            let stop = scene.points.stop(at: scene.site(.callback, .begin))
            let queue = OperationQueue()
            queue.addOperations([scene.operation, dependent], waitUntilFinished: false)
            guard stop.isReached() else { return false }
            let starts = scene.points.isPassed(
                StopSite(.operationState, of: dependent.number, text: "ready → executing"))
            stop.letGo()
            queue.waitUntilAllOperationsAreFinished()
            return starts && scene.callbacks() == 1
        }
    }

    /// Defect 54 (#4153, #4178, #4219): a manager that is released while a request ends.
    static func endsWithoutItsManager() throws -> Bool {
        try withRace { server, points in
            let ends = Locked<[Bool]>([])
            var manager: HTTPRequestOperationManager? = HTTPRequestOperationManager(
                baseURL: server.url("/"))
            manager?.responseSerializer = HTTPResponseSerializer()
            manager?.completionQueue = DispatchQueue(label: "completion")
            let gone = Weak(manager)
            let stop = points.stop(
                at: StopSite(.delegateCall, .begin, text: "connectionDidFinishLoading(_:)"))
            manager?.get("plain", parameters: nil) { _, _ in
                ends.withLock { $0.append(true) }
            } failure: { _, _ in
                ends.withLock { $0.append(false) }
            }
            guard stop.isReached() else { return true }
            manager = nil
            let isGone = gone.value == nil
            stop.letGo()
            _ = becomes { !ends.withLock { $0 }.isEmpty }
            return !isGone || ends.withLock { $0 } != [true]
        }
    }
}

private struct Weak<Value: AnyObject> {
    weak var value: Value?

    init(_ value: Value?) { self.value = value }
}
