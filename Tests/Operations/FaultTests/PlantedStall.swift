import EventRecorder
import TestSupport

/// A deadlock that is planted in a process of its own, because its threads never go on.
enum PlantedStall {
    /// Plants one, waits until it was told, and ends the process: with 0 where the stall names what it must.
    ///
    /// - Parameters:
    ///   - words: what its description must have.
    ///   - queues: to be looked at.
    static func mustName(
        _ words: [String], isCycle: Bool = false, queues: [OperationQueue] = [],
        _ plant: (LoopbackServer) throws -> Void
    ) throws -> Never {
        // A debug build would stop where a second lock is taken.
        setenv("HELD_LOCKS", "report", 1)
        let server = LoopbackServer.started()
        try EventRecorder.start(capacity: 1 << 16)
        let watch = StallWatch(limit: 0.4, queues: queues)
        try plant(server)
        let fits = { (stall: Stall) in
            stall.isCycle == isCycle && words.allSatisfy(stall.description.contains)
        }
        let isTold = watch.isTold(within: 20, where: fits)
        let stall = watch.stalls.first(where: fits)
        // Within a second of the wait that came last.
        let isSoon = (stall?.members.map(\.seconds).min() ?? 9) < 1
        if !isTold || !isSoon {
            let reported = watch.stalls.map(\.description).joined(separator: "\n")
            FileHandle.standardError.write(Data("expected \(words), told:\n\(reported)\n".utf8))
        }
        _exit(isTold && isSoon ? 0 : 1)
    }

    /// Runs a block on a thread of a name.
    static func thread(_ name: String, _ block: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            pthread_setname(name)
            block()
        }
    }

    private static func pthread_setname(_ name: String) {
        let file = FileManager.default.contents(atPath: "/proc/thread-self/comm")
        guard file != nil, let handle = FileHandle(forWritingAtPath: "/proc/thread-self/comm")
        else { return }
        handle.write(Data(name.utf8))
        try? handle.close()
    }
}
