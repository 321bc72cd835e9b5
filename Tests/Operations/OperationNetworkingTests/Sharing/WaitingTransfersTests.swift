import ProcessUse
import TestSupport

@testable import OperationNetworking

@Suite("Shared transfers that wait, end and are given up", .timeLimit(.minutes(2)))
struct WaitingTransfersTests {
    private let bench = SharingBench()

    // MARK: Waiting

    @Test(arguments: [TransferOrder.fifo, .lifo])
    func `beyond the limit transfers wait; each end starts one`(_ order: TransferOrder) throws {
        let shared = try bench.shared(2, order)
        for number in 0..<5 { bench.join(shared, try bench.request("\(number)"), "\(number)") }
        func started() -> [Int] {
            bench.starter.made.all.indices.filter { !bench.starter.made.all[$0].steps.all.isEmpty }
        }
        #expect(started() == [0, 1] && shared.counts == (2, 3))
        try bench.transfer(0).end("x")
        #expect(started() == (order == .fifo ? [0, 1, 2] : [0, 1, 4]))
        try bench.transfer(1).fail()
        #expect(started() == (order == .fifo ? [0, 1, 2, 3] : [0, 1, 3, 4]))
        #expect(shared.counts == (2, 1))
    }

    /// Ends each transfer inside its `start`, once it may.
    private final class Instant: TransferStarting {
        final class Transfer: TransferHandle {
            private let completion: TransferCompletion

            init(_ completion: @escaping TransferCompletion) { self.completion = completion }

            func start() { completion(nil, nil, URLError(.notConnectedToInternet)) }
            func cancel() {}
            func addProgressBlock(_ block: @escaping ProgressBlock) {}
        }

        private let patient: any TransferStarting
        private let isFirst = Locked(true)

        init(_ patient: any TransferStarting) { self.patient = patient }

        func transfer(
            for request: URLRequest, completion: @escaping TransferCompletion
        ) -> any TransferHandle {
            let isFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isFirst
                ? patient.transfer(for: request, completion: completion) : Transfer(completion)
        }
    }

    @Test func `those that end as they are started do so one behind the other, however many wait`()
        throws
    {
        let hand = SharingBench.Starter()
        let ends = Signal()
        let transfers = try SharedTransfers<Int>(on: Instant(hand), maximumActive: 1) { _, _ in 0 }
        for number in 0..<20_000 {
            let request = URLRequest(url: URL(fileURLWithPath: "/\(number)"))
            _ = transfers.join(request) { _ in ends.fire() }
        }
        hand.made.all[0].fail()
        #expect(ends.count == 20_000)
    }

    @Test func `cancelling one that waits frees no place of those that run`() throws {
        let shared = try bench.shared(1)
        bench.join(shared, try bench.request("a"), "a")
        let waiting = try #require(bench.join(shared, bench.request("b"), "b"))
        shared.cancel(waiting)
        bench.join(shared, try bench.request("c"), "c")
        #expect(shared.counts == (1, 1))
        #expect(try bench.transfer(1).steps.all == ["cancel"])
        #expect(try bench.transfer(2).steps.all.isEmpty)
        try bench.transfer(0).end("x")
        #expect(try bench.transfer(2).steps.all == ["start"])
    }

    @Test func `one that ends while it waits is told at once, and nothing waits for it`() throws {
        let shared = try bench.shared(1)
        for name in ["a", "b", "c"] { bench.join(shared, try bench.request(name), name) }
        try bench.transfer(1).fail()
        #expect(bench.log.all == ["b -1001"] && shared.counts == (1, 1))
        try bench.transfer(0).end("x")
        #expect(try bench.transfer(1).steps.all.isEmpty)
        #expect(try bench.transfer(2).steps.all == ["start"])
        try bench.transfer(2).end("y")
        #expect(bench.log.all == ["b -1001", "kept x", "a x", "kept y", "c y"])
        #expect(shared.counts == (0, 0))
    }

    @Test(arguments: [false, true])
    func `one that ends as it is made is told, whether it would run or wait`(
        _ isBusy: Bool
    ) throws {
        let shared = try bench.shared(1)
        if isBusy { bench.join(shared, try bench.request("a"), "a") }
        bench.starter.failsAtOnce.withLock { $0 = true }
        bench.join(shared, try bench.request("b"), "b")
        #expect(bench.log.all == ["b -1001"] && shared.counts == (isBusy ? 1 : 0, 0))
        bench.starter.failsAtOnce.withLock { $0 = false }
        bench.join(shared, try bench.request("b"), "again")
        if isBusy { try bench.transfer(0).end("x") }
        let last = try bench.transfer(isBusy ? 2 : 1)
        #expect(last.steps.all == ["start"])
        last.end("y")
        #expect(bench.log.all.suffix(2) == ["kept y", "again y"] && shared.counts == (0, 0))
    }

    @Test(arguments: [TransferOrder.fifo, .lifo])
    func `those that wait and are given up are passed over`(_ order: TransferOrder) throws {
        let shared = try bench.shared(1, order)
        let receipts = try (0..<6).map { number in
            try #require(bench.join(shared, try bench.request("\(number)"), "\(number)"))
        }
        for number in [1, 3, 5] { shared.cancel(receipts[number]) }
        #expect(shared.counts == (1, 2))
        bench.join(shared, try bench.request("6"), "6")
        let turns = order == .fifo ? [0, 2, 4, 6] : [0, 6, 4, 2]
        for (number, left) in zip(turns, [3, 2, 1, 0]) {
            #expect(try bench.transfer(number).steps.all == ["start"])
            #expect(shared.counts == (1, left))
            try bench.transfer(number).end("x")
        }
        #expect(shared.counts == (0, 0))
    }

    /// Makes transfers that do nothing.
    private final class Idle: TransferStarting {
        final class Transfer: TransferHandle {
            func start() {}
            func cancel() {}
            func addProgressBlock(_ block: @escaping ProgressBlock) {}
        }

        func transfer(
            for request: URLRequest, completion: @escaping TransferCompletion
        ) -> any TransferHandle { Transfer() }
    }

    @Test func `what a cancel costs does not depend on how many wait`() throws {
        /// The processor time of so many cancels, where so many are there.
        func time(of count: Int, among all: Int) throws -> Int {
            let transfers = try SharedTransfers<Int>(on: Idle(), maximumActive: 1) { _, _ in 0 }
            var receipts: [TransferReceipt] = []
            for number in 0..<all {
                let request = URLRequest(
                    url: URL(fileURLWithPath: "/\(number)", isDirectory: false))
                if case .receipt(let receipt) = transfers.join(request, handler: { _ in }) {
                    receipts.append(receipt)
                }
            }
            let start = ProcessorTime.ofThisThread
            for receipt in receipts.suffix(count) { transfers.cancel(receipt) }
            return ProcessorTime.ofThisThread - start
        }
        let few = try time(of: 500, among: 500)
        let many = try time(of: 500, among: 16_000)
        #expect(many < 8 * few, "\(many) ns, \(few) ns")
    }

    // MARK: Cancelling

    @Test(arguments: [false, true])
    func `a receipt of a transfer that is over cancels no later part of the same id`(
        _ isCancelled: Bool
    ) throws {
        let shared = try bench.shared()
        let id = UUID()
        let old = try #require(bench.join(shared, bench.request("1"), "one", id: id))
        if isCancelled { shared.cancel(old) } else { try bench.transfer(0).end("w") }
        let before = isCancelled ? ["one -999"] : ["kept w", "one w"]
        bench.join(shared, try bench.request("1"), "two", id: id)
        shared.cancel(old)
        #expect(bench.log.all == before)
        #expect(try bench.transfer(1).steps.all == ["start"])
        try bench.transfer(1).end("x")
        #expect(bench.log.all == before + ["kept x", "two x"])
    }

    @Test func `cancelling one of several fails its handler alone, by the id's value`() throws {
        let shared = try bench.shared()
        let id = UUID()
        let receipt = try #require(bench.join(shared, bench.request("1"), "one", id: id))
        bench.join(shared, try bench.request("1"), "two")
        let rebuilt = TransferReceipt(
            id: try #require(UUID(uuidString: id.uuidString)), transfer: receipt.transfer)
        shared.cancel(rebuilt)
        shared.cancel(rebuilt)
        #expect(bench.log.all == ["one -999"])
        #expect(try bench.transfer(0).steps.all == ["start"])
        try bench.transfer(0).end("x")
        #expect(bench.log.all == ["one -999", "kept x", "two x"])
    }

    @Test func `with the last part the transfer goes, and its late end calls nobody`() throws {
        let shared = try bench.shared(1)
        let receipt = try #require(bench.join(shared, bench.request("1"), "one"))
        shared.cancel(receipt)
        #expect(try bench.transfer(0).steps.all == ["start", "cancel"])
        bench.join(shared, try bench.request("1"), "two")
        #expect(bench.starter.made.all.count == 2)
        // Its place is free once it has ended, and not before.
        #expect(try bench.transfer(1).steps.all.isEmpty)
        try bench.transfer(0).end("late")
        #expect(bench.log.all == ["one -999"])
        #expect(try bench.transfer(1).steps.all == ["start"])
        try bench.transfer(1).end("x")
        #expect(bench.log.all == ["one -999", "kept x", "two x"])
    }

    @Test func `an end that is told twice counts once`() throws {
        let shared = try bench.shared(1)
        for number in 0..<3 { bench.join(shared, try bench.request("\(number)"), "\(number)") }
        try bench.transfer(0).end("x")
        try bench.transfer(0).end("x")
        #expect(shared.counts == (1, 1) && bench.log.all == ["kept x", "0 x"])
    }

    @Test func `the reason of a cancelled part shows no secret`() throws {
        let shared = try bench.shared()
        let reasons = Log<String>()
        var secret = try bench.request("1")
        secret.url = URL(string: "http://user:secret@a/1?token=secret")
        let part = shared.join(secret) { end in
            if case .failure(let error) = end.result {
                reasons.add((error as NSError).localizedFailureReason ?? "")
            }
        }
        guard case .receipt(let receipt) = part else { return }
        shared.cancel(receipt)
        #expect(reasons.all.count == 1 && reasons.all[0].contains("a/1"))
        #expect(!reasons.all[0].contains("secret"))
    }

    @Test func `who lets go of it drops all parts and cancels the transfers`() throws {
        var shared: SharedTransfers<String>? = try bench.shared(1)
        weak let gone = shared
        for number in 0..<2 {
            bench.join(try #require(shared), try bench.request("\(number)"), "\(number)")
        }
        shared = nil
        #expect(gone == nil)
        #expect(try bench.transfer(0).steps.all == ["start", "cancel"])
        try bench.transfer(0).end("x")
        #expect(bench.log.all.isEmpty)
    }

    @Test func `from many threads each part is told once, and one transfer serves those of a time`()
        async throws
    {
        let shared = try bench.shared(3)
        let reported = Signal()
        let requests = try (0..<10).map { try bench.request("\($0)") }
        // Of two transfers that are made at once for one request, one is never started.
        let ender = Thread { [bench] in
            var ended: Set<ObjectIdentifier> = []
            while reported.count < 8 * 200 {
                let started = bench.starter.made.all.filter {
                    !$0.steps.all.isEmpty && !ended.contains(ObjectIdentifier($0))
                }
                for transfer in started {
                    transfer.end("x")
                    ended.insert(ObjectIdentifier(transfer))
                }
                sched_yield()
            }
        }
        ender.start()
        await onNewThread {
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for number in 0..<200 {
                    let part = shared.join(requests[(number * 7 + thread) % 10]) { _ in
                        reported.fire()
                    }
                    if number % 5 == 0, case .receipt(let receipt) = part {
                        shared.cancel(receipt)
                    }
                }
            }
        }
        await reported.wait(for: 8 * 200)
        #expect(reported.count == 8 * 200 && shared.counts == (0, 0))
    }
}
