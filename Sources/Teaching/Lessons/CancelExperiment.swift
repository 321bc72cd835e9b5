import Foundation
import LoopbackServer
import SmallPort7Cancel

/// Lesson 8: `cancel` before the request is sent, and while its body arrives.
enum CancelExperiment {
    private struct Sight {
        var requestsAfterwards = 0
        var trespasses = 0
        var isFinished = false
    }

    static func run() throws -> ExperimentResult {
        let sights = [try look(nil), try look(.cancelHere), try look(.cancelTellsNobody)]
        return ExperimentResult(
            variants: ["correct", Mistake.cancelHere.rawValue, Mistake.cancelTellsNobody.rawValue],
            facts: [
                .init(
                    Words(
                        "requests of an operation cancelled before it began",
                        "开始之前就取消的操作发出的请求数"),
                    sights.map(\.requestsAfterwards)),
                .init(
                    Words(
                        "times another thread used the connection", "连接被其他线程触碰的次数"),
                    sights.map(\.trespasses)),
                .init(
                    Words("the cancelled operation finished", "被取消的操作已结束"),
                    sights.map(\.isFinished)),
            ],
            answer: sights[1].requestsAfterwards == 0 ? 2 : 1)
    }

    private static func look(_ mistake: Mistake?) throws -> Sight {
        let (trespasses, isFinished) = try late(mistake)
        return Sight(
            requestsAfterwards: try early(mistake), trespasses: trespasses, isFinished: isFinished)
    }

    /// Calls `start` and `cancel` while the network thread is busy; returns how many requests were sent.
    private static func early(_ mistake: Mistake?) throws -> Int {
        let thread = NetworkThread()
        defer { thread.stop() }
        Picture.watch(thread.perform)
        return try withServer(mistake) { server in
            let isFree = Moment()
            thread.perform { _ = isFree.wait() }
            let operation = URLOperation(server.url("/plain"), on: thread, mistake: mistake)
            operation.observer = Picture.observer("GET /plain")
            operation.start()
            Picture.note("cancel")
            operation.cancel()
            isFree.signal()
            if mistake == .cancelHere {
                _ = server.receives(1)
            } else {
                // The server has this later request, so it would have the first one too if it was sent.
                let next = URLOperation(server.url("/pieces"), on: thread)
                next.start()
                guard server.reaches("second") else { return -1 }
                server.release("second")
                _ = Patience.until { next.isFinished }
            }
            return server.requests.count { $0.path == "/plain" }
        }
    }

    /// Calls `cancel` while the network thread is blocked in the progress block of the first piece.
    private static func late(_ mistake: Mistake?) throws -> (trespasses: Int, isFinished: Bool) {
        let thread = NetworkThread()
        defer { thread.stop() }
        Picture.watch(thread.perform)
        return try withServer(mistake) { server in
            let (isInside, mayGoOn) = (Moment(), Moment())
            let operation = URLOperation(server.url("/pieces"), on: thread, mistake: mistake)
            operation.observer = Picture.observer("GET /pieces")
            operation.progress = { _ in
                Picture.block("progress") {
                    isInside.signal()
                    _ = mayGoOn.wait()
                }
            }
            operation.start()
            guard isInside.wait() else { return (-1, false) }
            Picture.note("cancel")
            operation.cancel()
            let trespasses = thread.trespasses
            mayGoOn.signal()
            let patience = Patience.forWhat(happens: mistake != .cancelTellsNobody)
            return (trespasses, Patience.until(within: patience) { operation.isFinished })
        }
    }
}
