import Foundation
import LoopbackServer
import SmallPort5States

/// Lesson 6: KVO notifications of an operation's states, and allowed changes of state.
enum StateExperiment {
    private struct Sight {
        var hasFinished = false
        var dependantRan = false
        var requests = 0
    }

    static func run() throws -> ExperimentResult {
        let sights = [try look(nil), try look(.noAnnouncement), try look(.anyMove)]
        let returns = try OperationExperiment.run()
        // The second variant is a mistake of the small port's step before this one.
        func row(_ values: [some CustomStringConvertible]) -> [any CustomStringConvertible] {
            [values[0], "-", values[1], values[2]]
        }
        return ExperimentResult(
            variants: ["correct", OperationExperiment.mistakeName]
                + Mistake.allCases.map(\.rawValue),
            facts: [
                .init(
                    Words("start returns while the server holds the request", "服务器扣住请求时 start 已返回"),
                    [returns.correct, returns.mistaken, "-", "-"]),
                .init(
                    Words("isFinished of the first operation", "第一个操作的 isFinished"),
                    row(sights.map(\.hasFinished))),
                .init(
                    Words("the operation that depends on it ran", "依赖它的操作已运行"),
                    row(sights.map(\.dependantRan))),
                .init(
                    Words("requests of an operation that was started twice", "start 两次后发出的请求数"),
                    row(sights.map(\.requests))),
            ],
            answer: sights[1].hasFinished ? (sights[1].dependantRan ? 1 : 3) : nil)
    }

    private static func look(_ mistake: Mistake?) throws -> Sight {
        let thread = NetworkThread()
        defer { thread.stop() }
        Picture.watch(thread.perform)
        var sight = try withServer(mistake) { server in
            var sight = Sight()
            let queue = OperationQueue()
            let first = URLOperation(server.url("/held"), on: thread, mistake: mistake)
            let ran = Moment()
            let second = BlockOperation { ran.signal() }
            second.addDependency(first)
            queue.addOperations([first, second], waitUntilFinished: false)
            // The first ends only after the queue has checked whether the second is ready.
            let looked = Moment()
            queue.addOperation { looked.signal() }
            guard server.reaches("held"), looked.wait() else { return sight }
            server.release("held")
            sight.hasFinished = Patience.until { first.isFinished }
            // Another operation makes the queue check again.
            let other = Moment()
            queue.addOperation { other.signal() }
            guard other.wait() else { return sight }
            sight.dependantRan = ran.wait(
                within: Patience.forWhat(happens: mistake != .noAnnouncement))
            return sight
        }
        sight.requests = try withServer(mistake) { server in
            let operation = URLOperation(server.url("/plain"), on: thread, mistake: mistake)
            operation.start()
            operation.start()
            _ = Patience.until { operation.isFinished }
            let patience = Patience.forWhat(happens: mistake == .anyMove)
            _ = server.receives(2, within: patience)
            return server.requests.count
        }
        return sight
    }
}
