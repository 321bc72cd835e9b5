import OperationNetworking
import ParitySupport
import TestSupport

extension Parity {
    /// Output streams that are files, one of them always full.
    enum Streams {
        static let scenarios = [
            file("outputStream-file", "/drip?n=3&size=1000&delay=0.05", progress: true),
            file("outputStream-file-json", "/json", JSONResponseSerializer()), fullAtOnce,
            fullInPieces,
        ]

        private static func file(
            _ id: String, _ path: String,
            _ serializer: HTTPResponseSerializer = HTTPResponseSerializer(), progress: Bool = false
        ) -> Scenario {
            Scenario(id) { stage in
                let file = stage.temporaryFile()
                defer { try? FileManager.default.removeItem(at: file) }
                let operation = stage.operation("A", path)
                operation.responseSerializer = serializer
                let stream = OutputStream(url: file, append: false)
                operation.outputStream = stream
                if progress { stage.recordProgress(of: operation, "A") }
                try await stage.runToEnd(operation)
                stage.extra["fileLength"] = .int(try Data(contentsOf: file).count)
                stage.extra["streamStatus"] = stream.map { .int(Int($0.streamStatus.rawValue)) }
            }
        }

        private static let fullAtOnce = Scenario("outputStream-devfull-one-chunk") { stage in
            let operation = stage.operation("A", "/ok")
            let stream = OutputStream(toFileAtPath: "/dev/full", append: false)
            operation.outputStream = stream
            stage.recordProgress(of: operation, "A")
            try await stage.runToEnd(operation)
            stage.extra["streamError"] = GoldenValue(ErrorRecord.text(of: stream?.streamError))
            stage.extra["streamStatus"] = stream.map { .int(Int($0.streamStatus.rawValue)) }
        }

        private static let fullInPieces = Scenario("outputStream-devfull-many-chunks") { stage in
            let operation = stage.operation("A", "/drip?n=3&size=1000&delay=0.08")
            let stream = OutputStream(toFileAtPath: "/dev/full", append: false)
            operation.outputStream = stream
            stage.recordProgress(of: operation, "A")
            try await stage.runToEnd(operation)
            stage.extra["streamStatus"] = stream.map { .int(Int($0.streamStatus.rawValue)) }
        }
    }
}
