import Foundation
import FoundationNetworking
import Locking
import TestSupport
import Testing

@testable import OperationNetworking

@Suite("Requests that share a transfer", .timeLimit(.minutes(2)))
struct SharedTransfersTests {
    /// Transfers that a test ends.
    private final class Starter: TransferStarting {
        final class Transfer: TransferHandle {
            let url: String
            let completion: TransferCompletion
            let steps = Log<String>()

            init(_ url: String, _ completion: @escaping TransferCompletion) {
                self.url = url
                self.completion = completion
            }

            func start() { steps.add("start") }
            func cancel() { steps.add("cancel") }
            func end(_ object: sending Any?) { completion(nil, object, nil) }
            func fail() { completion(nil, nil, URLError(.timedOut)) }
        }

        let made = Log<Transfer>()

        func transfer(
            for request: URLRequest, completion: @escaping TransferCompletion
        ) -> any TransferHandle {
            let transfer = Transfer(request.url?.absoluteString ?? "", completion)
            made.add(transfer)
            return transfer
        }
    }

    private struct NoText: Error {}

    private let starter = Starter()
    private let log = Log<String>()

    private func shared(
        _ maximum: Int = 4, _ order: TransferOrder = .fifo,
        _ joining: TransferJoining = .equalRequests
    ) throws -> SharedTransfers<String> {
        try SharedTransfers(on: starter, maximumActive: maximum, order: order, joining: joining) {
            [log] _, value in
            log.add("kept \(value)")
        } conversion: { object, _ in
            guard let text = object as? String else { throw NoText() }
            return text
        }
    }

    private func request(
        _ path: String, _ change: (inout URLRequest) -> Void = { _ in }
    ) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "http://a/\(path)")))
        change(&request)
        return request
    }

    @discardableResult
    private func join(
        _ shared: SharedTransfers<String>, _ request: URLRequest, _ name: String,
        id: UUID = UUID(), kept: String? = nil
    ) -> TransferReceipt? {
        let part = shared.join(request, id: id, kept: { kept }) { [log] end in
            switch end.result {
            case .success(let value): log.add("\(name) \(value)")
            case .failure(let error): log.add("\(name) \((error as NSError).code)")
            }
        }
        switch part {
        case .receipt(let receipt): return receipt
        case .kept(let value):
            log.add("\(name) had \(value)")
            return nil
        }
    }

    private func transfer(_ number: Int) throws -> Starter.Transfer {
        try #require(starter.made.all.count > number ? starter.made.all[number] : nil)
    }

    // MARK: Joining

    @Test func `equal requests share a transfer; what came is kept before anybody is told`() throws
    {
        let shared = try shared()
        let receipts = try ["one", "two", "three"].map { name in
            try #require(join(shared, request("1"), name))
        }
        #expect(starter.made.all.count == 1 && Set(receipts.map(\.id)).count == 3)
        #expect(receipts.allSatisfy { $0.transfer === receipts[0].transfer })
        try transfer(0).end("x")
        #expect(log.all == ["kept x", "one x", "two x", "three x"])
        #expect(shared.counts == (0, 0))
        join(shared, try request("1"), "later")
        #expect(starter.made.all.count == 2)
    }

    @Test func `each caller gets its own request back`() throws {
        let shared = try shared()
        let agents = Log<String>()
        for agent in ["one", "two"] {
            let own = try request("1") { $0.setValue(agent, forHTTPHeaderField: "User-Agent") }
            _ = shared.join(own) { end in
                agents.add(end.request.value(forHTTPHeaderField: "user-agent") ?? "none")
            }
        }
        try transfer(0).end("x")
        #expect(agents.all == ["one", "two"])
    }

    private static let differences: [(name: String, change: @Sendable (inout URLRequest) -> Void)] =
        [
            ("method", { $0.httpMethod = "HEAD" }), ("body", { $0.httpBody = Data("b".utf8) }),
            ("policy", { $0.cachePolicy = .reloadIgnoringLocalCacheData }),
            ("login", { $0.setValue("Basic eA==", forHTTPHeaderField: "authorization") }),
            ("cookie", { $0.setValue("a=b", forHTTPHeaderField: "Cookie") }),
            ("a key of its own", { $0.setValue("k", forHTTPHeaderField: "X-Api-Key") }),
            ("range", { $0.setValue("bytes=1-", forHTTPHeaderField: "Range") }),
            ("cookies off", { $0.httpShouldHandleCookies = false }),
        ]

    @Test func `requests that differ in what counts do not share; all of one URL do, if asked`()
        throws
    {
        for (name, change) in Self.differences {
            let shared = try shared(100)
            let before = starter.made.all.count
            join(shared, try request("1"), "one")
            join(shared, try request("1", change), "two")
            #expect(starter.made.all.count == before + 2, "\(name)")
            let old = try self.shared(100, .fifo, .equalURLs)
            join(old, try request("1"), "one")
            join(old, try request("1", change), "two")
            #expect(starter.made.all.count == before + 3, "\(name)")
        }
    }

    @Test func `a login is shared with the same login alone`() throws {
        let shared = try shared()
        for login in ["a", "b", "a"] {
            join(
                shared,
                try request("1") { $0.setValue(login, forHTTPHeaderField: "Authorization") },
                login)
        }
        #expect(starter.made.all.count == 2)
    }

    @Test func `a request that is not safe, or has a stream, shares with none`() throws {
        let shared = try shared(100)
        for _ in 0..<2 {
            join(shared, try request("1") { $0.httpMethod = "POST" }, "post")
            join(
                shared, try request("1") { $0.httpBodyStream = InputStream(data: Data()) },
                "stream")
        }
        #expect(starter.made.all.count == 4)
    }

    @Test func `what is kept is asked for only where there is nothing to join`() throws {
        let shared = try shared()
        #expect(join(shared, try request("1"), "one", kept: "y") == nil)
        #expect(starter.made.all.isEmpty)
        join(shared, try request("1"), "two")
        #expect(join(shared, try request("1"), "three", kept: "y") != nil)
        #expect(log.all == ["one had y"])
    }

    @Test func `one who looks just before a transfer ends looks once more and finds what it kept`()
        throws
    {
        let shared = try shared()
        join(shared, try request("2"), "other")
        let asked = Locked(0)
        let part = shared.join(try request("1")) {
            // Between the two looks a transfer ends.
            let count = asked.withLock { count in
                count += 1
                return count
            }
            if count == 1 { try? transfer(0).end("z") }
            return count == 1 ? nil : "found"
        } handler: { _ in
        }
        guard case .kept("found") = part else {
            Issue.record("\(part)")
            return
        }
    }

    // MARK: Errors

    @Test func `an error, or an object that is none, is everybody's, and nothing is kept`() throws {
        let shared = try shared()
        join(shared, try request("1"), "one")
        join(shared, try request("1"), "two")
        try transfer(0).fail()
        join(shared, try request("2"), "three")
        try transfer(1).end(7)
        #expect(log.all == ["one -1001", "two -1001", "three 1"])
    }

    @Test func `a limit below one is refused`() {
        for limit in [0, -1] {
            #expect(throws: SharedTransferError.noActiveTransfers(limit)) { try self.shared(limit) }
        }
    }
}

extension SharedTransfersTests {
    // MARK: Waiting

    @Test(arguments: [TransferOrder.fifo, .lifo])
    func `beyond the limit transfers wait; each end starts one`(_ order: TransferOrder) throws {
        let shared = try shared(2, order)
        for number in 0..<5 { join(shared, try request("\(number)"), "\(number)") }
        func started() -> [Int] {
            starter.made.all.indices.filter { !starter.made.all[$0].steps.all.isEmpty }
        }
        #expect(started() == [0, 1] && shared.counts == (2, 3))
        try transfer(0).end("x")
        #expect(started() == (order == .fifo ? [0, 1, 2] : [0, 1, 4]))
        try transfer(1).fail()
        #expect(started() == (order == .fifo ? [0, 1, 2, 3] : [0, 1, 3, 4]))
        #expect(shared.counts == (2, 1))
    }

    @Test func `cancelling one that waits frees no place of those that run`() throws {
        let shared = try shared(1)
        join(shared, try request("a"), "a")
        let waiting = try #require(join(shared, request("b"), "b"))
        shared.cancel(waiting)
        join(shared, try request("c"), "c")
        #expect(shared.counts == (1, 1))
        #expect(try transfer(1).steps.all == ["cancel"])
        #expect(try transfer(2).steps.all.isEmpty)
        try transfer(0).end("x")
        #expect(try transfer(2).steps.all == ["start"])
    }

    // MARK: Cancelling

    @Test func `cancelling one of several fails its handler alone, by the id's value`() throws {
        let shared = try shared()
        let id = UUID()
        let receipt = try #require(join(shared, request("1"), "one", id: id))
        join(shared, try request("1"), "two")
        let rebuilt = TransferReceipt(
            id: try #require(UUID(uuidString: id.uuidString)), transfer: receipt.transfer)
        shared.cancel(rebuilt)
        shared.cancel(rebuilt)
        #expect(log.all == ["one -999"])
        #expect(try transfer(0).steps.all == ["start"])
        try transfer(0).end("x")
        #expect(log.all == ["one -999", "kept x", "two x"])
    }

    @Test func `with the last part the transfer goes, and its late end calls nobody`() throws {
        let shared = try shared(1)
        let receipt = try #require(join(shared, request("1"), "one"))
        shared.cancel(receipt)
        #expect(try transfer(0).steps.all == ["start", "cancel"])
        join(shared, try request("1"), "two")
        #expect(starter.made.all.count == 2)
        // Its place is free once it has ended, and not before.
        #expect(try transfer(1).steps.all.isEmpty)
        try transfer(0).end("late")
        #expect(log.all == ["one -999"])
        #expect(try transfer(1).steps.all == ["start"])
        try transfer(1).end("x")
        #expect(log.all == ["one -999", "kept x", "two x"])
    }

    @Test func `an end that is told twice counts once`() throws {
        let shared = try shared(1)
        for number in 0..<3 { join(shared, try request("\(number)"), "\(number)") }
        try transfer(0).end("x")
        try transfer(0).end("x")
        #expect(shared.counts == (1, 1) && log.all == ["kept x", "0 x"])
    }

    @Test func `the reason of a cancelled part shows no secret`() throws {
        let shared = try shared()
        let reasons = Log<String>()
        var secret = try request("1")
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
        var shared: SharedTransfers<String>? = try self.shared(1)
        weak let gone = shared
        for number in 0..<2 { join(try #require(shared), try request("\(number)"), "\(number)") }
        shared = nil
        #expect(gone == nil)
        #expect(try transfer(0).steps.all == ["start", "cancel"])
        try transfer(0).end("x")
        #expect(log.all.isEmpty)
    }

    @Test func `from many threads each part is told once, and one transfer serves those of a time`()
        async throws
    {
        let shared = try shared(3)
        let told = Signal()
        let requests = try (0..<10).map { try request("\($0)") }
        // Of two transfers that are made at once for one request, one is never started.
        let ender = Thread { [starter] in
            var ended: Set<ObjectIdentifier> = []
            while told.count < 8 * 200 {
                let started = starter.made.all.filter {
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
        await aside {
            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for number in 0..<200 {
                    let part = shared.join(requests[(number * 7 + thread) % 10]) { _ in
                        told.fire()
                    }
                    if number % 5 == 0, case .receipt(let receipt) = part {
                        shared.cancel(receipt)
                    }
                }
            }
        }
        await told.wait(for: 8 * 200)
        #expect(told.count == 8 * 200 && shared.counts == (0, 0))
    }
}
