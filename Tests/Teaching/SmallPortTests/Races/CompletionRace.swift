import EventRecorder
import SmallPort8Completion
import TestSupport

/// Defect 55 (#2153, #2893): a block that runs under a lock, and waits for a thread that needs it.
enum CompletionRace {
    static func isStuck(_ mistake: Mistake?) throws -> Bool {
        try withRace { server, points in
            let thread = NetworkThread()
            defer { thread.stop() }
            let completion = PortSite(text: "completion")
            let operation = URLOperation(server.url("/plain"), on: thread, mistake: mistake) { _ in
                completion.isReached()
            }
            let stop = points.stop(at: completion.site)
            operation.start()
            guard stop.isReached() else { return false }
            let reader = RaceThread { _ = operation.body }
            let isRead = reader.ends(within: mistake == nil ? 20 : 0.05)
            stop.letGo()
            return !(isRead && reader.ends())
        }
    }
}
