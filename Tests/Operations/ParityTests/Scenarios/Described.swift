import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// Scenarios whose descriptions and errors are recorded here, and not their events.
    ///
    /// Where their recordings are at hand, those are compared too.
    enum Described {
        static let scenarios: [Scenario] = [
            described("status-304") { stage in
                try await stage.runToEnd(stage.operation("A", "/status/304"))
            },
            described("timeout-headers") { stage in
                var request = URLRequest(url: stage.server.url("/stall?d=4"))
                request.timeoutInterval = 0.5
                try await stage.runToEnd(stage.operation("A", request))
                // The connection is left by the transport, not cancelled by the operation.
                try await stage.untilClientsLeft()
                stage.clientsThatTimedOut = 1
            },
            described("unsupported-scheme") { stage in
                let url = try #require(URL(string: "ftp://127.0.0.1/x"))
                try await stage.runToEnd(stage.operation("A", URLRequest(url: url)))
            },
            described("no-reply") { stage in
                try await stage.runToEnd(stage.operation("A", "/noreply"))
            },
            described("redirect-loop") { stage in
                try await stage.runToEnd(stage.operation("A", "/loop"))
            },
            cancelAll, waitingForHead, twice, paused, intoFile, noFile,
        ]

        private static func described(_ id: String, _ play: @escaping Scenario.Play) -> Scenario {
            Scenario(id, from: .description, play)
        }

        /// A race; it is run as the recording has it, else so that the start comes too late.
        private static let cancelAll = described("cancelAll-after-enqueue") { stage in
            let recorded = Described.events(of: "cancelAll-after-enqueue")
            let operation = stage.operation("A", "/delay/0.3")
            if recorded.contains("connection.cancel") {
                stage.queue.addOperation(operation)
                try await stage.untilServer(reached: "/delay/0.3")
                stage.queue.cancelAllOperations()
            } else if recorded.contains("isExecuting 0>1") {
                try await stage.holdingNetworkThread {
                    stage.queue.addOperation(operation)
                    try await stage.until("A", "isExecuting 0>1")
                    stage.queue.cancelAllOperations()
                }
            } else {
                stage.queue.isSuspended = true
                stage.queue.addOperation(operation)
                stage.queue.cancelAllOperations()
                stage.queue.isSuspended = false
            }
            try await stage.end(of: "A")
        }

        private static let waitingForHead = described("cancel-waiting-headers") { stage in
            let operation = stage.operation("A", "/delay/1")
            stage.queue.addOperation(operation)
            try await stage.until("A", "start notification")
            try await stage.untilServer(reached: "/delay/1")
            operation.cancel()
            try await stage.end(of: "A")
        }

        private static let twice = described("cancel-twice") { stage in
            let operation = stage.operation("A", "/delay/0.5")
            await stage.holdingNetworkThread {
                operation.start()
                operation.cancel()
                operation.cancel()
            }
            try await stage.end(of: "A")
        }

        private static let paused = described("pause-then-cancel") { stage in
            let operation = stage.operation("A", "/drip?n=6&size=1000&delay=0.12")
            let recorded = Described.final(of: "pause-then-cancel")["totalBytesRead"]
            let count = recorded.flatMap(\.int) ?? 3_000
            try await stage.receive(Int64(count), of: operation)
            operation.pause()
            operation.cancel()
            // The operation ends here, whether it is resumed or not.
            try await stage.end(of: "A")
            operation.resume()
            await stage.rest()
        }

        private static let intoFile = described("outputStream-cancel-file") { stage in
            let file = stage.temporaryFile()
            defer { try? FileManager.default.removeItem(at: file) }
            let operation = stage.operation("A", "/drip?n=6&size=1000&delay=0.15")
            operation.outputStream = OutputStream(url: file, append: false)
            let server = stage.server
            stage.recordProgress(of: operation, "A") { [weak operation] total in
                if total < 2_000 {
                    server.release(GoldenServer.pieces, count: 1)
                } else {
                    operation?.cancel()
                }
            }
            try await stage.runToEnd(operation)
            #expect(try Data(contentsOf: file).count == 2_000)
        }

        private static let noFile = described("outputStream-badpath") { stage in
            let recorded = Described.final(of: "outputStream-badpath")["requestURL"]?.string
            let path = recorded?.replacing("{base}", with: "") ?? "/ok"
            // That the client leaves is seen only if the answer has not ended.
            if !path.hasPrefix("/drip") {
                stage.server.add(path) { _ in
                    .text("hello world", contentType: "text/plain").then(.wait(gate: "never"))
                }
            }
            let operation = stage.operation("A", path)
            operation.outputStream = OutputStream(
                toFileAtPath: "/nonexistent-folder/file", append: false)
            try await stage.runToEnd(operation)
            try await stage.untilClientsLeft()
        }

        /// The recorded end of an operation, which tells what the description leaves open.
        static func final(of id: String, _ name: String = "A") -> [String: GoldenValue] {
            let golden = try? GoldenCase.named(id)
            return golden?.output.final[name] ?? [:]
        }

        /// What is recorded of an operation's events.
        private static func events(of id: String) -> Set<String> {
            let golden = try? GoldenCase.named(id)
            return Set(golden?.output.canonical.map { Event(recorded: $0).what } ?? [])
        }
    }
}

extension Stage {
    /// Runs an operation as A on the queue.
    func runToEnd(_ operation: URLConnectionOperation) async throws {
        queue.addOperation(operation)
        try await end(of: "A")
    }
}
