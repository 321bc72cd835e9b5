import EventRecorder
import SmallPort7Cancel
import TestSupport

/// A cancel that comes while the network thread brings the last piece of a body.
enum CancelRaces {
    struct Sight {
        /// Defect 29 (#142 to #226): two threads touched one connection.
        var isTouched = false
        /// Defect 12 (#657, #693, #1167, #1545): the end has no callback.
        var isForgotten = false
        /// Defect 28 (#490, #491, #2852): a success after the cancel.
        var isSuccess = false
    }

    static func look(_ mistake: Mistake?) throws -> Sight {
        var sight = Sight()
        _ = try withRace { server, points in
            let thread = NetworkThread()
            defer { thread.stop() }
            // The piece is the last one, and then the connection tells of the end; or the server holds the rest.
            let isWhole = mistake != .cancelTellsNobody
            let operation = URLOperation(
                server.url(isWhole ? "/plain" : "/cut"), on: thread, mistake: mistake)
            server.add("/cut") { _ in
                ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, [("Content-Length", "9")])),
                    .bytes(Data("piece".utf8)), .wait(gate: "rest"),
                ])
            }
            let piece = PortSite(text: "piece")
            operation.progress = { _ in piece.isReached() }
            let stop = points.stop(at: piece.site)
            operation.start()
            guard stop.isReached() else { return false }
            operation.cancel()
            sight.isTouched = thread.trespasses > 0
            stop.letGo()
            // Behind the job of the cancel.
            let isBehind = DispatchSemaphore(value: 0)
            thread.perform { isBehind.signal() }
            isBehind.wait()
            sight.isForgotten = !operation.isFinished
            sight.isSuccess = operation.isFinished && operation.error == nil
            return true
        }
        return sight
    }
}
