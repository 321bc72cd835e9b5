import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier B: program 13.
    @Suite("B: download to a file", .timeLimit(.minutes(5)))
    struct DownloadTests {
        private struct Progress: Sendable {
            let read, total, expected: Int64
            let isMain: Bool
        }

        private let folder = TemporaryFolder()
        private let progress = Watched<[Progress]>([])

        private func download(_ exam: Exam, _ path: String, to file: String) -> HTTPRequestOperation
        {
            let operation = HTTPRequestOperation(request: exam.request(path))
            operation.outputStream = OutputStream(toFileAtPath: file, append: false)
            operation.setDownloadProgressBlock { [progress] read, total, expected in
                let one = Progress(
                    read: read, total: total, expected: expected, isMain: MainQueue.isCurrent)
                progress.change { $0.append(one) }
            }
            exam.watch(operation)
            operation.start()
            return operation
        }

        private func expectProgress(whole: Int64, expected: Int64) {
            let reported = progress.now
            #expect(reported.allSatisfy { $0.isMain && $0.expected == expected && $0.read > 0 })
            #expect(zip(reported, reported.dropFirst()).allSatisfy { $0.total < $1.total })
            #expect(reported.last?.total == whole && reported.map(\.read).reduce(0, +) == whole)
        }

        @Test(arguments: ExamHost.all)
        func `13. Download to a file`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let path = "range/100000?duration=0.2&chunk_size=5000"
                let operation = download(exam, path, to: folder.file("file").path)
                try await exam.expectSuccess(of: operation)
                let wanted = Data((0..<100_000).map { UInt8(ascii: "a") + UInt8($0 % 26) })
                #expect(try Data(contentsOf: folder.file("file")) == wanted)
                #expect(operation.responseData == nil && operation.responseObject == nil)
                expectProgress(whole: 100_000, expected: 100_000)
            }
        }
    }
}
