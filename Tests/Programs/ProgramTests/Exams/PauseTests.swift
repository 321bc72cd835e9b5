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

        @Test(arguments: ExamHost.all)
        func `35. Paused before the start, it starts after resume`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let manager = exam.manager()
                let request = exam.request("get?a=1")
                let operation = manager.httpRequestOperation(
                    with: request, success: exam.success, failure: exam.failure)
                operation.pause()
                #expect(operation.isPaused && !operation.isReady)
                manager.enqueue(operation)
                await MainQueue.settle()
                #expect(!operation.isExecuting && exam.record.now.events.isEmpty)
                operation.resume()
                try await exam.expectSuccess(of: operation)
                #expect(exam.server?.requests.count ?? 1 == 1)
            }
        }

        @Test(arguments: ExamHost.all)
        func `35. A pause after the end changes nothing`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let operation = try #require(
                    exam.manager().get("get", success: exam.success, failure: exam.failure))
                try await exam.expectSuccess(of: operation)
                operation.pause()
                #expect(!operation.isPaused && operation.isFinished)
                operation.resume()
                await MainQueue.settle()
                #expect(exam.record.now.order(of: .start).count == 1 && operation.isFinished)
            }
        }

        @Test
        func `35. A paused operation keeps its place in the queue's width`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let manager = exam.manager()
                manager.operationQueue.maxConcurrentOperationCount = 1
                let first = try #require(
                    manager.get(
                        exam.gate("first"), success: exam.success, failure: exam.failure))
                let second = try #require(
                    manager.get("get", success: exam.success, failure: exam.failure))
                await exam.reached("first")
                first.pause()
                await exam.serverSees("the close") { statistics, _ in
                    statistics.connectionsOpen == 0
                }
                await MainQueue.settle()
                #expect(first.isPaused && !second.isExecuting && !second.isFinished)
                server.release("first")
                first.resume()
                #expect(await exam.outcomes(2).allSatisfy { $0.error == nil })
                let paths = server.requests.map(\.path)
                #expect(paths == ["/held/first", "/held/first", "/get"])
            }
        }

        /// Wound 14 is repaired: the original's `resume` started an operation past its queue.
        @Test
        func `35. Resumed while the queue is full, it waits its turn`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let manager = exam.manager()
                manager.operationQueue.maxConcurrentOperationCount = 1
                let paused = manager.httpRequestOperation(
                    with: exam.request("get"), success: exam.success, failure: exam.failure)
                paused.pause()
                manager.enqueue(paused)
                let running = manager.get(
                    exam.gate("running"), success: exam.success, failure: exam.failure)
                await exam.reached("running")
                paused.resume()
                await MainQueue.settle()
                #expect(paused.isReady && !paused.isExecuting)
                server.release("running")
                try await exam.expectSuccess(of: running)
                try await exam.expectSuccess(of: paused)
                #expect(server.statistics.peakInFlight == 1)
            }
        }

        /// Wound 9 is repaired: the original appended a whole answer to the part it had.
        @Test(
            arguments: [false, true])
        func `35. A server that ignores the range does not duplicate data`(toFile: Bool)
            async throws
        {
            try await Exam.run { exam in
                let server = try exam.loopback()
                let operation = HTTPRequestOperation(
                    request: exam.request("x/no-range?size=20000&seed=4"))
                let file = folder.file("file").path
                if toFile {
                    operation.outputStream = OutputStream(toFileAtPath: file, append: false)
                }
                exam.watch(operation)
                await pause(exam, operation, at: 10_000) { operation.start() }
                await exam.serverSees("the close") { statistics, _ in
                    statistics.connectionsOpen == 0
                }
                server.release("half")
                operation.resume()
                try await exam.expectSuccess(of: operation)
                let found =
                    toFile ? try Data(contentsOf: folder.file("file")) : operation.responseData
                #expect(found == GeneratedBytes.bytes(seed: 4, range: 0..<20_000))
                #expect(server.requests.last?.headers["Range"] == "bytes=10000-")
                #expect(operation.response?.statusCode == 200 && operation.totalBytesRead == 20_000)
            }
        }
    }
}
