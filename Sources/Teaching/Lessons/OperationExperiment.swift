import Foundation
import LoopbackServer
import SmallPort4Operation

/// A part of lesson 6: `start` dispatches its work and returns.
enum OperationExperiment {
    /// Whether `start` returns while the server holds the request.
    static func startReturns(_ mistake: Mistake?) throws -> Bool {
        let thread = NetworkThread()
        defer { thread.stop() }
        Picture.watch(thread.perform)
        return try withServer(mistake) { server in
            let operation = URLOperation(server.url("/held"), on: thread, mistake: mistake)
            let end = onNewThread { operation.start() }
            guard server.reaches("held") else { return false }
            let returns = end.wait(within: Patience.forWhat(happens: mistake == nil))
            server.release("held")
            _ = Patience.until { operation.isFinished } && end.wait()
            return returns
        }
    }

    static let mistakeName = Mistake.startWaits.rawValue

    /// Whether `start` returns while the request is held, in the correct variant and with the mistake.
    static func run() throws -> (correct: Bool, mistaken: Bool) {
        (try startReturns(nil), try startReturns(.startWaits))
    }
}
