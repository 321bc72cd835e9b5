import OperationNetworking
import TestSupport

extension Parity {
    /// Queues with a limit; the answers come in the order in which they were recorded.
    enum Limits {
        static let scenarios = [one, three, twenty]

        private static let one = Scenario("max-1") { stage in
            stage.queue.maxConcurrentOperationCount = 1
            let names = ["A", "B", "C", "D"]
            let path = "/delay/0.08"
            for name in names { stage.queue.addOperation(stage.operation(name, path)) }
            for (index, name) in names.enumerated() {
                try await stage.until(name, "start notification")
                try await stage.untilServer(reached: path, count: index + 1)
                if index > 0 { try await stage.end(of: names[index - 1]) }
                stage.answer(path)
            }
            try await stage.end(of: "D")
        }

        private static let three = Scenario("max-3", .startsTogether) { stage in
            stage.queue.maxConcurrentOperationCount = 3
            let names = ["A", "B", "C", "D", "E"]
            for (index, name) in names.enumerated() {
                stage.queue.addOperation(stage.operation(name, "/delay/0.\(index + 1)"))
            }
            for (index, name) in names.enumerated() {
                for running in names[index..<min(index + 3, names.count)] {
                    try await stage.until(running, "start notification")
                }
                stage.answer("/delay/0.\(index + 1)")
                try await stage.end(of: name)
            }
        }

        private static let twenty = Scenario("many-20", .eachOperationAlone) { stage in
            stage.queue.maxConcurrentOperationCount = 4
            let names = (0..<20).map { String(format: "op%02d", $0) }
            let operations = names.map { stage.operation($0, "/ok") }
            let executing = Log<Int>()
            for operation in operations {
                let record = operation.stateObserver
                operation.stateObserver = { change in
                    // By the state: it ends before its announcement, and a queue that has read it goes on. The newest
                    // first: those that the queue began before are the queue's at the first look, too.
                    if change.keyPath == "isExecuting", change.isTrue {
                        executing.add(operations.reversed().count(where: \.isExecuting))
                    }
                    record?(change)
                }
            }
            for operation in operations { stage.queue.addOperation(operation) }
            for name in names { try await stage.end(of: name) }
            for operation in operations { operation.stateObserver = nil }
            #expect(executing.all.count == 20)
            #expect(executing.all.allSatisfy { $0 <= 4 }, "\(executing.all)")
        }
    }
}
