import Dispatch
import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// Where, when and how often the completion block runs, and when it is gone.
    enum Completion {
        static let scenarios = [
            none, empty, Successes.connection("plain-completionBlock", "/ok"), onQueue, inGroup,
            replaced, setTooLate, letGo,
        ]

        private static let none = Scenario("no-completion-blocks") { stage in
            let operation = stage.operation("A", "/ok")
            operation.completionBlock = nil
            stage.queue.addOperation(operation)
            try await stage.until("A", "finish notification")
        }

        private static let empty = Scenario("nil-success-failure") { stage in
            let operation = stage.operation("A", "/ok")
            operation.setCompletionBlock(success: nil, failure: nil)
            stage.queue.addOperation(operation)
            try await stage.until("A", "finish notification")
            // Nothing tells that the completion is over, but that it is gone.
            for _ in 0..<1_000 where operation.completionBlock != nil { await stage.rest() }
        }

        private static let onQueue = Scenario("completionQueue") { stage in
            let operation = stage.operation("A", "/ok")
            operation.completionQueue = stage.completionQueue("oracle.completion")
            // The completion is not on main, so nothing else puts it behind the start.
            stage.holdAnswers(at: "/ok")
            stage.queue.addOperation(operation)
            try await stage.until("A", "start notification")
            stage.answer("/ok")
            try await stage.end(of: "A")
        }

        private static let inGroup = Scenario("completionGroup") { stage in
            let operation = stage.operation("A", "/ok")
            let (group, recorder) = (DispatchGroup(), stage.recorder)
            operation.completionGroup = group
            stage.queue.addOperation(operation)
            try await stage.until("A", "isFinished 0>1")
            group.notify(queue: .main) { recorder.record(nil, "groupNotify") }
            try await stage.end(of: "A")
            try await stage.until(nil, "groupNotify")
        }

        private static let replaced = Scenario("setCompletionBlock-while-running") { stage in
            let operation = stage.operation("A", "/delay/0.3")
            let recorder = stage.recorder
            stage.queue.addOperation(operation)
            try await stage.untilServer(reached: "/delay/0.3")
            operation.completionBlock = { recorder.record(nil, "replacedCompletion") }
            stage.answer("/delay/0.3")
            try await stage.until(nil, "replacedCompletion")
            try await stage.until("A", "finish notification")
        }

        private static let setTooLate = Scenario("setCompletionBlock-after-finish") { stage in
            let operation = stage.operation("A", "/ok")
            let recorder = stage.recorder
            try await stage.runToEnd(operation)
            await stage.rest()
            operation.completionBlock = { recorder.record(nil, "lateCompletion") }
        }

        /// A slow block of B does not keep A's block alive.
        private static let letGo = Scenario("completionBlock-nilled-when-shared-group-drains") {
            stage in
            let (recorder, gate) = (stage.recorder, DispatchSemaphore(value: 0))
            let slow = stage.connectionOperation("B", "/ok")
            slow.completionQueue = stage.completionQueue("oracle.slow")
            slow.completionBlock = {
                recorder.record(nil, "B-block-begins")
                _ = gate.wait(timeout: .now() + 10)
                recorder.record(nil, "B-block-ends")
            }
            slow.start()
            try await stage.until(nil, "B-block-begins")
            try await stage.until("B", "finish notification")
            let quick = stage.connectionOperation("A", "/ok")
            quick.completionBlock = { recorder.record(nil, "A-block") }
            quick.start()
            try await stage.until(nil, "A-block")
            try await stage.until("A", "finish notification")
            await stage.rest(except: "oracle.slow")
            let isNil = "A.completionBlockIsNil"
            stage.called("0.2 s after A-block", [isNil: GoldenValue(quick.completionBlock == nil)])
            gate.signal()
            try await stage.until(nil, "B-block-ends")
            stage.called("after B-block", [isNil: GoldenValue(quick.completionBlock == nil)])
        }
    }
}
