import EventRecorder
import SmallPort6Lock
import TestSupport

/// Defect 14 (#3017, #2661, #1662): an operation that is started twice sends two requests.
enum LockRace {
    static func isLost(_ mistake: Mistake?) throws -> Bool {
        try withRace { server, points in
            let thread = NetworkThread()
            defer { thread.stop() }
            let operation = URLOperation(server.url("/plain"), on: thread, mistake: mistake)
            let starts = PortSite(text: "starts")
            let changes = PortSite(text: "the state is about to change")
            operation.observer = { key, isAfter in
                if key == "isExecuting", !isAfter { changes.isReached() }
            }
            let stop = points.stop(at: changes.site)
            let threads = (0..<2).map { _ in
                RaceThread {
                    starts.isReached()
                    operation.start()
                }
            }
            _ = points.isPassed(starts.site, count: 2)
            // With the lock the second one cannot come here while the first is held.
            let both = stop.isReached(count: 2, within: mistake == nil ? 0.01 : 20)
            stop.letGo()
            for thread in threads { _ = thread.ends() }
            guard both == (mistake != nil) else { return both }
            _ = becomes { operation.isFinished }
            _ = server.waitUntil(timeout: 20) { _, requests in requests.count >= (both ? 2 : 1) }
            return server.requests.count > 1
        }
    }
}
