import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier D: program 35.
    @Suite("D: pause and resume", .timeLimit(.minutes(5)))
    struct PauseTests {
        /// httpbin gives at most 102400 bytes.
        private static let size = 100_000
        private static let path = "range/100000?duration=1&chunk_size=2000"
        private static let letters = Data((0..<size).map { UInt8(ascii: "a") + UInt8($0 % 26) })

        private let folder = TemporaryFolder()

        /// Waits until an operation has read so many bytes, and pauses it.
        private func pause(
            _ exam: Exam, _ operation: HTTPRequestOperation, at count: Int64,
            start: () -> Void
        ) async {
            let reached = Watched(false)
            operation.setDownloadProgressBlock { _, total, expected in
                #expect(total <= expected && expected >= 0)
                if total >= count { reached.change { $0 = true } }
            }
            start()
            await reached.wait(until: "\(count) bytes") { $0 }
            operation.pause()
            #expect(operation.isPaused && !operation.isExecuting && !operation.isFinished)
        }

        @Test(arguments: ExamHost.all, [false, true])
        func `35. Paused at 30 %, resumed after a second`(host: ExamHost, toFile: Bool) async throws
        {
            try await Exam.run(host) { exam in
                let operation = HTTPRequestOperation(request: exam.request(Self.path))
                let file = folder.file("file").path
                if toFile {
                    operation.outputStream = OutputStream(toFileAtPath: file, append: false)
                }
                exam.watch(operation)
                await pause(exam, operation, at: Int64(Self.size * 3 / 10)) { operation.start() }
                await exam.record.wait(until: "a finish at the pause") {
                    $0.events.map(\.kind) == [.start, .finish]
                }
                await exam.serverSees("the close") { statistics, _ in
                    statistics.connectionsOpen == 0
                }
                let received = operation.totalBytesRead
                #expect(received >= Self.size * 3 / 10 && received < Self.size)
                #expect(
                    operation.request.value(forHTTPHeaderField: "Range") == "bytes=\(received)-")
                await withCheckedContinuation { continuation in
                    DispatchQueue.main.asyncAfter(deadline: .now() + 1) { continuation.resume() }
                }
                #expect(operation.isPaused && operation.totalBytesRead == received)
                operation.resume()
                try await exam.expectSuccess(of: operation)

                let found =
                    toFile ? try Data(contentsOf: folder.file("file")) : operation.responseData
                #expect(found == Self.letters)
                #expect(operation.totalBytesRead == Self.size && !operation.isPaused)
                #expect(operation.response?.statusCode == 206)
                // The validator goes along, so that another version could not be joined (wound 9).
                #expect(
                    operation.request.value(forHTTPHeaderField: "If-Range") == "range\(Self.size)")
                if let second = exam.server?.requests.last {
                    #expect(second.headers["Range"] == "bytes=\(received)-")
                    #expect(second.headers["If-Range"] == "range\(Self.size)")
                }
            }
        }
    }
}
