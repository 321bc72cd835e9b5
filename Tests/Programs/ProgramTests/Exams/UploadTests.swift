import OperationNetworking
import ProcessUse
import TestSupport

extension CompatExam {
    /// Tier B: programs 11 and 14.
    @Suite("B: uploads", .timeLimit(.minutes(5)))
    struct UploadTests {
        private static let photo = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff])

        // MARK: 11

        @Test(arguments: ExamHost.all)
        func `11. Photo upload`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                let operation = manager.post(
                    "post", parameters: ["title": "A photo", "album": "7"],
                    constructingBody: { form in
                        form.appendPart(
                            fileData: Self.photo, name: "photo", fileName: "p.png",
                            mimeType: "image/png")
                    }, success: exam.success, failure: exam.failure)
                let outcome = try await exam.outcome(of: operation)
                let form = outcome.value("form") as? [String: String]
                #expect(form == ["title": "A photo", "album": "7"])
                let file = "data:\(host.fileType);base64,\(Self.photo.base64EncodedString())"
                #expect(outcome.text("files", "photo") == file)
                let type = try #require(outcome.text("headers", "Content-Type"))
                #expect(type.hasPrefix("multipart/form-data; boundary="))
                #expect(outcome.text("headers", "Transfer-Encoding") == nil)
                #expect(operation?.request.httpBody == nil)
                #expect(operation?.request.httpBodyStream != nil)
            }
        }

        @Test(
            .enabled(if: PeakMemory.isMeaningful, "The sanitizer's own memory would be measured."))
        func `11. 64 MiB are not held twice`() async throws {
            try await Exam.run { exam in
                let size = 64 << 20
                let photo = Data(repeating: 7, count: size)
                let before = try PeakMemory.reset()
                let operation = exam.manager().post(
                    "x/sink", parameters: ["a": "1"],
                    constructingBody: { form in
                        form.appendPart(
                            fileData: photo, name: "photo", fileName: "p", mimeType: "image/png")
                    }, success: exam.success, failure: exam.failure)
                let outcome = try await exam.outcome(of: operation)
                let peak = try PeakMemory.now()
                let count = try #require(outcome.value("bytes") as? Int)
                #expect(count > size && count < size + 1_000)
                // The file itself is in memory already.
                #expect(peak - before < size / 2, "\(before) to \(peak)")
                #expect(photo.count == size)
            }
        }

        // MARK: 14

        @Test
        func `14. Upload progress`() async throws {
            try await Exam.run { exam in
                let (progress, sent) = try await upload(exam, size: 1 << 20)
                #expect(progress.map(\.written).reduce(0, +) == sent)
                #expect(progress.last?.total == sent)
                #expect(progress.allSatisfy { $0.expected == sent && $0.isMain && $0.written > 0 })
                let sums = progress.indices.map { progress[...$0].map(\.written).reduce(0, +) }
                #expect(progress.map(\.total) == sums)
            }
        }

        @Test
        func `14. Throttled: packets of 16 KiB, 0.2 s apart`() async throws {
            try await Exam.run { exam in
                let start = DispatchTime.now()
                let (progress, sent) = try await upload(
                    exam, size: 320 << 10, packetSize: 16 << 10, delay: 0.2)
                let seconds =
                    Double(DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds) / 1e9
                #expect(seconds >= 3.5)
                #expect(progress.allSatisfy { $0.written <= 16 << 10 })
                #expect(progress.last?.total == sent)
            }
        }

        private struct Progress: Sendable {
            let written, total, expected: Int64
            let isMain: Bool
        }

        /// What was told while a file was uploaded, and its request's Content-Length.
        private func upload(
            _ exam: Exam, size: Int, packetSize: Int? = nil, delay: TimeInterval = 0
        ) async throws -> ([Progress], Int64) {
            let manager = exam.manager()
            let request = try manager.requestSerializer.multipartFormRequest(
                method: "POST", urlString: exam.url("post").absoluteString,
                parameters: ["a": "1"]
            ) { form in
                form.appendPart(
                    fileData: Data(repeating: 0x61, count: size), name: "f", fileName: "f.txt",
                    mimeType: "text/plain")
                if let packetSize {
                    form.throttleBandwidth(packetSize: packetSize, delay: delay)
                }
            }
            let operation = manager.httpRequestOperation(
                with: request, success: exam.success, failure: exam.failure)
            let progress = Watched<[Progress]>([])
            operation.setUploadProgressBlock { written, total, expected in
                let one = Progress(
                    written: written, total: total, expected: expected,
                    isMain: MainQueue.isCurrent)
                progress.change { $0.append(one) }
            }
            manager.enqueue(operation)
            try await exam.expectSuccess(of: operation)
            let length = request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
            return (progress.now, try #require(length))
        }
    }
}

extension ExamHost {
    /// The type that the host's data URLs name for the photo of program 11.
    fileprivate var fileType: String {
        switch self {
        case .loopback: "application/octet-stream"
        case .httpbin: "image/png"
        }
    }
}
