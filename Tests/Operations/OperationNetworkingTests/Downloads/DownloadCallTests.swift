import TestSupport

@testable import OperationNetworking

@Suite("A download's calls on a concurrent queue", .timeLimit(.minutes(2)))
struct DownloadCallTests {
    private let world = TestWorld()

    @Test func `progress calls do not overlap, and the result comes after the last`() async {
        let queue = DispatchQueue(label: "callbacks", attributes: .concurrent)
        let download = FileDownloadOperation(world.request("/"), to: world.file("a"))
        download.completionQueue = queue
        let (calls, hold, passed) = (Log<String>(), DispatchSemaphore(value: 0), Signal())
        download.setProgressBlock { progress in
            calls.add("begins \(progress.stored)")
            if progress.stored == 1 { hold.wait() }
            calls.add("ends \(progress.stored)")
        }
        download.setResultBlock { _ in calls.add("result") }
        download.report { $0.stored = 1 }
        #expect(await calls.reaches(1))
        // The first call is held between its two entries.
        download.report { $0.stored = 2 }
        download.finish(.failure(URLError(.cancelled)))
        // The queue has dequeued what came before this.
        queue.async { passed.fire() }
        await passed.wait()
        hold.signal()
        #expect(await calls.reaches(5))
        #expect(calls.all == ["begins 1", "ends 1", "begins 2", "ends 2", "result"])
    }
}
