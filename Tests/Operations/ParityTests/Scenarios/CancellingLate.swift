import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// Cancelling during a transfer and after the end.
    enum CancellingLate {
        static let scenarios = [midBody, inCompletion, afterFinish, upload]

        private static let midBody = Scenario("cancel-mid-body") { stage in
            let operation = stage.operation("A", "/drip?n=6&size=1000&delay=0.15")
            let server = stage.server
            stage.recordProgress(of: operation, "A") { [weak operation] total in
                if total < 2_000 {
                    server.release(GoldenServer.pieces, count: 1)
                } else {
                    operation?.cancel()
                }
            }
            try await stage.runToEnd(operation)
        }

        private static let inCompletion = Scenario("cancel-in-success") { stage in
            let operation = stage.operation("A", "/ok")
            let recorder = stage.recorder
            operation.setCompletionBlock(
                success: { operation, _ in
                    recorder.record("A", "success")
                    operation.cancel()
                    let isCancelled = GoldenValue(operation.isCancelled)
                    recorder.record(
                        nil,
                        Event.marker(
                            "called", ["what": "cancel returned", "isCancelled": isCancelled]))
                }, failure: nil)
            try await stage.runToEnd(operation)
        }

        private static let afterFinish = Scenario("cancel-after-finish") { stage in
            let operation = stage.operation("A", "/ok")
            operation.start()
            try await stage.end(of: "A")
            stage.called("cancel")
            operation.cancel()
        }

        private static let upload = Scenario("cancel-upload") { stage in
            // The answer waits, so that the end of the body cannot be the end of the operation.
            stage.server.add("/upload") { _ in ScriptedResponse([.wait(gate: "never")]) }
            var request = URLRequest(url: stage.server.url("/upload"))
            request.httpMethod = "POST"
            request.httpBody = Data(count: 8 << 20)
            let operation = stage.operation("A", request)
            let recorder = stage.recorder
            operation.setUploadProgressBlock { [weak operation] bytes, total, _ in
                guard bytes == total else { return }
                recorder.record(nil, "uploadProgress-first")
                operation?.cancel()
            }
            try await stage.runToEnd(operation)
        }
    }
}
