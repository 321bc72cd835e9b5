import OperationNetworking
import SessionEra
import SessionTasks
import TestSupport

@testable import NetworkImages

@Suite("Indicators, refresh controls and bars (IM-38, IM-39)", .timeLimit(.minutes(5)))
@MainActor
struct WorkBindingTests {
    private final class Indicator: ActivityDisplaying, RefreshDisplaying, ProgressDisplaying {
        let activityBinding = WorkBinding()
        let refreshBinding = WorkBinding()
        let progressBinding = WorkBinding()
        var isAnimating = false
        var isRefreshing = false
        var fractions: [Float] = []

        func startAnimating() { isAnimating = true }
        func stopAnimating() { isAnimating = false }
        func beginRefreshing() { isRefreshing = true }
        func endRefreshing() { isRefreshing = false }
        func setProgress(_ fraction: Float, animated: Bool) { fractions.append(fraction) }

        func bind(to work: (any ObservedWork)?) {
            setAnimating(withStateOf: work)
            setRefreshing(withStateOf: work)
        }
    }

    private let world = TestWorld.pictures()
    private let indicator = Indicator()

    private func runs(_ isRunning: Bool) async -> Bool {
        await comesTrue {
            indicator.isAnimating == isRunning && indicator.isRefreshing == isRunning
        }
    }

    private func sessionManager() -> URLSessionManager {
        let manager = URLSessionManager(
            sessionConfiguration: .ephemeral)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    @Test func `it follows resume, suspend and the end of a task`()
        async throws
    {
        let manager = sessionManager()
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        let task = manager.dataTask(with: world.request("/held/7"))
        indicator.bind(to: task)
        #expect(!indicator.isAnimating)
        task.resume()
        #expect(await runs(true))
        #expect(await world.server.reaches("/held/7"))
        task.suspend()
        #expect(await runs(false))
        task.resume()
        #expect(await runs(true))
        world.server.release("/held/7")
        #expect(await runs(false))
        #expect(task.hasEnded)
        // An ended one is ignored.
        indicator.startAnimating()
        indicator.bind(to: task)
        #expect(indicator.isAnimating)
    }

    @Test func `it follows start, pause, resume and the end of an operation`() async throws {
        let operation = HTTPRequestOperation(request: world.request("/held/7"))
        indicator.bind(to: operation)
        #expect(!indicator.isAnimating)
        operation.start()
        #expect(await runs(true))
        operation.pause()
        #expect(await runs(false))
        operation.resume()
        #expect(await runs(true))
        operation.cancel()
        #expect(await runs(false))
    }

    @Test func `what runs already is shown at once, and nil unties it`() async throws {
        let operation = HTTPRequestOperation(request: world.request("/held/7"))
        operation.start()
        indicator.bind(to: operation)
        #expect(indicator.isAnimating && indicator.isRefreshing)
        indicator.bind(to: nil)
        operation.cancel()
        await operation.whenFinished()
        await MainQueue.settle()
        #expect(indicator.isAnimating && indicator.isRefreshing)
    }

    @Test func `another binding takes the place of the one before, and neither end is kept alive`()
        async throws
    {
        weak var gone: Indicator?
        weak var old: HTTPRequestOperation?
        do {
            let indicator = Indicator()
            gone = indicator
            let first = HTTPRequestOperation(request: world.request("/held/7"))
            old = first
            indicator.bind(to: first)
            let second = HTTPRequestOperation(request: world.request("/held/8"))
            indicator.bind(to: second)
            first.start()
            await MainQueue.settle()
            #expect(!indicator.isAnimating)
            first.cancel()
            await first.whenFinished()
            indicator.setProgress(with: .download, of: second, animated: true)
        }
        await MainQueue.settle()
        #expect(gone == nil)
        #expect(await comesTrue { old == nil })
    }

    @Test func `a bar shows the bytes of an operation, whose own block is still called`()
        async throws
    {
        let body = Data(repeating: 1, count: 300_000)
        world.server.add("/bytes") { _ in .data(body, contentType: "image/png") }
        let operation = HTTPRequestOperation(request: world.request("/bytes"))
        let own = Log<Int64>()
        operation.setDownloadProgressBlock { _, total, _ in own.add(total) }
        indicator.setProgress(with: .download, of: operation, animated: true)
        operation.start()
        #expect(await comesTrue { indicator.fractions.last == 1 })
        #expect(indicator.fractions == indicator.fractions.sorted())
        #expect(own.all.last == 300_000)
    }

    @Test func `a bar shows the bytes of a task, both ways`() async throws {
        let body = Data(repeating: 1, count: 300_000)
        world.server.add("/bytes") { _ in .data(body, contentType: "image/png") }
        let manager = sessionManager()
        defer { manager.invalidateSessionCancelingTasks(true, resetSession: false) }
        var request = world.request("/bytes")
        request.httpMethod = "POST"
        let task = manager.uploadTask(with: request, from: body)
        let up = Indicator()
        up.setProgress(with: .upload, of: task, animated: false)
        indicator.setProgress(with: .download, of: task, animated: false)
        task.resume()
        #expect(await comesTrue { indicator.fractions.last == 1 && up.fractions.last == 1 })
    }

    /// Work whose progress blocks a test counts, calls and removes.
    private final class CountedWork: ObservedWork {
        let blocks = Locked<[ProgressBlock]>([])
        var isUnderWay: Bool { true }
        var hasEnded: Bool { false }

        func addProgressBlock(for direction: ByteDirection, _ block: @escaping ProgressBlock) {
            blocks.withLock { $0.append(block) }
        }

        func report(_ completed: Int64, of expected: Int64) {
            for block in blocks.withLock({ $0 }) { block(completed, expected) }
        }
    }

    @Test func `a bar that is bound again to the same work adds one block, until that is removed`()
        async
    {
        let (first, second) = (CountedWork(), CountedWork())
        for _ in 0..<100 {
            for work in [first, nil, second, first] {
                indicator.setProgress(with: .download, of: work, animated: true)
            }
        }
        #expect(first.blocks.withLock { $0.count } == 1)
        #expect(second.blocks.withLock { $0.count } == 1)
        second.report(1, of: 4)
        first.report(1, of: 2)
        await MainQueue.settle()
        #expect(indicator.fractions == [0.5])
        indicator.setProgress(with: .upload, of: first, animated: true)
        #expect(first.blocks.withLock { $0.count } == 2)
        // As an operation does whose own progress block is set.
        first.blocks.withLock { $0.removeAll() }
        indicator.setProgress(with: .download, of: first, animated: true)
        #expect(first.blocks.withLock { $0.count } == 1)
        first.report(3, of: 4)
        await MainQueue.settle()
        #expect(indicator.fractions == [0.5, 0.75])
    }

    /// The blocks of work that is released when this returns, as a copy of it would have them.
    private func blocksOfReleasedWork() -> [ObservedWork.ProgressBlock] {
        let work = CountedWork()
        indicator.setProgress(with: .download, of: work, animated: true)
        return work.blocks.withLock { $0 }
    }

    @Test func `released work is not known, whoever has its block and its address`() {
        let ofCopy = blocksOfReleasedWork()
        let binding = indicator.progressBinding
        indicator.setProgress(with: .download, of: nil, animated: true)
        #expect(binding.attachments.count == 1)
        #expect(binding.attachments.allSatisfy { $0.attachment != nil && $0.work == nil })
        let next = CountedWork()
        indicator.setProgress(with: .download, of: next, animated: true)
        #expect(next.blocks.withLock { $0.count } == 1)
        #expect(binding.attachments.count == 1)
        #expect(binding.attachments.first?.work === next)
        withExtendedLifetime(ofCopy) {}
    }

    @Test func `a call under way reaches a bar only while that is bound to its work`() async {
        let (first, second) = (CountedWork(), CountedWork())
        // Main runs this test, and so the calls' second step only when the test waits.
        indicator.setProgress(with: .download, of: first, animated: true)
        first.report(1, of: 8)
        indicator.setProgress(with: .download, of: second, animated: true)
        await MainQueue.settle()
        second.report(2, of: 8)
        indicator.setProgress(with: .download, of: nil, animated: true)
        await MainQueue.settle()
        #expect(indicator.fractions.isEmpty)
        // Their first step comes late.
        for work in [first, second] { work.report(3, of: 8) }
        await MainQueue.settle()
        #expect(indicator.fractions.isEmpty)
        // The last value of work that is bound again may be its only one.
        second.report(4, of: 8)
        indicator.setProgress(with: .download, of: second, animated: true)
        await MainQueue.settle()
        #expect(indicator.fractions == [0.5])
    }

    @Test func `untied, a bar stands still`() async throws {
        let operation = HTTPRequestOperation(request: world.request("/image/7"))
        indicator.setProgress(with: .download, of: operation, animated: true)
        indicator.setProgress(with: .download, of: nil, animated: true)
        operation.start()
        await operation.whenFinished()
        await MainQueue.settle()
        #expect(indicator.fractions.isEmpty)
        indicator.setProgress(with: .download, of: operation, animated: true)
        await MainQueue.settle()
        #expect(indicator.fractions.isEmpty)
    }
}

extension HTTPRequestOperation {
    /// Waits without blocking main.
    fileprivate func whenFinished() async {
        await onNewThread { self.waitUntilFinished() }
    }
}
