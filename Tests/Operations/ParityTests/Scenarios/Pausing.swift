import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// Pausing and resuming, before the start and in the middle of a body.
    enum Pausing {
        static let scenarios = [
            beforeStart, notPaused, inMemory, intoFile, immediate, twice,
        ]

        private static let beforeStart = Scenario("pause-before-start") { stage in
            let operation = stage.operation("A", "/ok")
            operation.pause()
            stage.called(
                "pause returned",
                stage.range(of: operation, "Range").merging([
                    "isPaused": GoldenValue(operation.isPaused)
                ]) { $1 })
            stage.queue.addOperation(operation)
            await stage.rest()
            stage.called("resume")
            operation.resume()
            try await stage.end(of: "A")
        }

        private static let notPaused = Scenario("resume-not-paused") { stage in
            let operation = stage.operation("A", "/ok")
            operation.resume()
            stage.called("resume returned")
            try await stage.runToEnd(operation)
        }

        private static let inMemory = Scenario("pause-resume-memory-206") { stage in
            let operation = stage.operation("A", "/drip?n=6&size=1000&delay=0.12")
            try await stage.pauseAndResume(operation)
            stage.expectRange("bytes=2000-")
        }

        private static let intoFile = Scenario("pause-resume-file-append-206") { stage in
            let file = stage.temporaryFile()
            defer { try? FileManager.default.removeItem(at: file) }
            let operation = stage.operation("A", "/drip?n=6&size=1000&delay=0.12")
            operation.outputStream = OutputStream(url: file, append: true)
            try await stage.pauseAndResume(operation)
            stage.expectRange("bytes=2000-")
            let data = try Data(contentsOf: file)
            stage.extra["fileLength"] = .int(data.count)
        }

        private static let immediate = Scenario("pause-resume-immediate") { stage in
            let operation = stage.operation("A", "/drip?n=6&size=1000&delay=0.1")
            try await stage.receive(3_000, of: operation)
            stage.called("pause")
            operation.pause()
            operation.resume()
            stage.called("resume returned", stage.range(of: operation, "Range"))
            try await stage.end(of: "A", finishes: 2)
            stage.expectRange("bytes=3000-")
        }

        private static let twice = Scenario("pause-twice") { stage in
            let operation = stage.operation("A", "/drip?n=5&size=1000&delay=0.1")
            try await stage.receive(3_000, of: operation, isRecorded: false)
            operation.pause()
            stage.called("second pause")
            operation.pause()
            stage.called("second pause returned")
            try await stage.until("A", "finish notification")
            operation.resume()
            try await stage.end(of: "A", finishes: 2)
            stage.expectRange("bytes=3000-")
        }
    }
}
