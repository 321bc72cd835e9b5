import Foundation
import Locking
import LoopbackServer
import SmallPort2Loop

/// Lesson 3: a run loop with nothing to wait for returns (NT-2).
enum LoopExperiment {
    private struct Sight {
        var entries = 0
        var hasEnded = false
        var isAliveAfterRequest = false
    }

    static func run() throws -> ExperimentResult {
        let sights = [try look(nil), try look(.noPort), try look(.endlessLoop)]
        return ExperimentResult(
            variants: ["correct"] + Mistake.allCases.map(\.rawValue),
            facts: [
                .init(
                    Words("times the run loop was entered", "RunLoop 进入次数"),
                    sights.map(\.entries), varies: true),
                .init(
                    Words("the thread has ended, without any request", "没有请求时线程已退出"),
                    sights.map(\.hasEnded)),
                .init(
                    Words("the thread lives after its last request", "最后一个请求结束后线程仍在"),
                    sights.map(\.isAliveAfterRequest)),
            ],
            answer: sights[1].hasEnded && sights[1].entries == 1 ? 3 : sights[1].hasEnded ? 2 : 1)
    }

    private static func look(_ mistake: Mistake?) throws -> Sight {
        var sight = Sight()
        let idle = NetworkThread(mistake: mistake)
        switch mistake {
        case .noPort: sight.hasEnded = Patience.until { idle.hasEnded }
        // The loop is entered a hundred thousand times a second; so many entries suffice.
        case .endlessLoop: _ = Patience.until { idle.entries > 1_000 }
        case nil: sight.hasEnded = Patience.until(within: Patience.short) { idle.hasEnded }
        }
        sight.entries = idle.entries
        idle.stop()
        sight.isAliveAfterRequest = try withServer(mistake) { server in
            let hasEnded = Moment()
            let thread = NetworkThread(fetching: [server.url("/plain")], mistake: mistake) { _ in
                // Records what the thread does after its last request.
                Picture.watchCurrentLoop()
                Picture.block("an end is reported") { hasEnded.comes() }
            }
            defer { thread.stop() }
            guard hasEnded.isThere() else { return false }
            let patience = Patience.forWhat(happens: mistake == .noPort)
            return !Patience.until(within: patience) { thread.hasEnded }
        }
        return sight
    }
}
