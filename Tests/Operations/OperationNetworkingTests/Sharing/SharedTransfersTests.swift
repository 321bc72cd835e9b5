import TestSupport

@testable import OperationNetworking

@Suite("Requests that share a transfer", .timeLimit(.minutes(2)))
struct SharedTransfersTests {
    private let bench = SharingBench()

    @Test func `what lost the race against another caller is cancelled, and its caller joins`()
        throws
    {
        let shared = try bench.shared()
        let request = try bench.request("1")
        // While the first caller looks for what is kept, another begins.
        let first = shared.join(
            request,
            kept: {
                bench.join(shared, request, "other")
                return nil
            }, handler: { [log = bench.log] _ in log.add("first") })
        #expect(try bench.transfer(0).steps.all == ["start"])
        #expect(try bench.transfer(1).steps.all == ["cancel"])
        try bench.transfer(1).fail()
        guard case .receipt(let receipt) = first else { throw SharingBench.NoText() }
        #expect(receipt.transfer === (try bench.transfer(0)))
        try bench.transfer(0).end("a")
        #expect(bench.log.all == ["kept a", "other a", "first"])
        #expect(shared.counts == (0, 0))
    }

    @Test func `progress is told to each who asked, also to one who joined later`() throws {
        let shared = try bench.shared()
        let reported = Log<String>()
        let request = try bench.request("1")
        func join(_ name: String) -> TransferPart<String> {
            shared.join(
                request, progress: { reported.add("\(name) \($0) of \($1)") }, handler: { _ in })
        }
        _ = shared.join(request) { _ in }
        let transfer = try bench.transfer(0)
        #expect(transfer.steps.all == ["start"])
        let first = join("first")
        _ = join("second")
        #expect(transfer.steps.all == ["start", "progress"])
        transfer.tell(1, of: 2)
        if case .receipt(let receipt) = first { shared.cancel(receipt) }
        transfer.tell(2, of: 2)
        transfer.end("a")
        transfer.tell(2, of: 2)
        #expect(reported.all == ["first 1 of 2", "second 1 of 2", "second 2 of 2"])
    }

    // MARK: The caller's own identities

    /// An identity whose code asks for what is under way. A lock that were held meanwhile would be taken twice.
    private struct Asking: Hashable, Sendable {
        let name: String
        let shared: SharedTransfers<String>

        static func == (one: Asking, other: Asking) -> Bool {
            _ = one.shared.counts
            return one.name == other.name
        }

        func hash(into hasher: inout Hasher) {
            _ = shared.counts
            // Those of different names meet in one place of the table.
            hasher.combine(0)
        }
    }

    @Test func `an identity's == and hash may ask for what is under way`() async {
        await #expect(processExitsWith: .success) {
            // Ends the process where one waits for itself.
            alarm(20)
            let bench = SharingBench()
            let shared = try bench.shared(2)
            for name in ["a", "b", "a", "c", "b", "a"] {
                bench.starter.identity.withLock { $0 = Asking(name: name, shared: shared) }
                bench.join(shared, try bench.request("1"), name)
            }
            try #require(bench.starter.made.all.count == 3)
            try #require(shared.counts == (2, 1))
            for number in 0..<3 { try bench.transfer(number).end("\(number)") }
            let reported = bench.log.all.filter { !$0.hasPrefix("kept") }
            try #require(reported == ["a 0", "a 0", "a 0", "b 1", "b 1", "c 2"])
            try #require(shared.counts == (0, 0))
            bench.starter.identity.withLock { $0 = Asking(name: "a", shared: shared) }
            bench.join(shared, try bench.request("1"), "again")
            try #require(bench.starter.made.all.count == 4)
        }
    }

    // MARK: Joining

    @Test func `equal requests share a transfer; what came is kept before anybody is told`() throws
    {
        let shared = try bench.shared()
        let receipts = try ["one", "two", "three"].map { name in
            try #require(bench.join(shared, bench.request("1"), name))
        }
        #expect(bench.starter.made.all.count == 1 && Set(receipts.map(\.id)).count == 3)
        #expect(receipts.allSatisfy { $0.transfer === receipts[0].transfer })
        try bench.transfer(0).end("x")
        #expect(bench.log.all == ["kept x", "one x", "two x", "three x"])
        #expect(shared.counts == (0, 0))
        bench.join(shared, try bench.request("1"), "later")
        #expect(bench.starter.made.all.count == 2)
    }

    @Test func `each caller gets its own request back`() throws {
        let shared = try bench.shared()
        let agents = Log<String>()
        for agent in ["one", "two"] {
            let own = try bench.request("1") {
                $0.setValue(agent, forHTTPHeaderField: "User-Agent")
            }
            _ = shared.join(own) { end in
                agents.add(end.request.value(forHTTPHeaderField: "user-agent") ?? "none")
            }
        }
        try bench.transfer(0).end("x")
        #expect(agents.all == ["one", "two"])
    }

    private static let differences: [(name: String, change: @Sendable (inout URLRequest) -> Void)] =
        [
            ("method", { $0.httpMethod = "HEAD" }), ("body", { $0.httpBody = Data("b".utf8) }),
            ("policy", { $0.cachePolicy = .reloadIgnoringLocalCacheData }),
            ("no load", { $0.cachePolicy = .returnCacheDataDontLoad }),
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
            let shared = try bench.shared(100)
            let before = bench.starter.made.all.count
            bench.join(shared, try bench.request("1"), "one")
            bench.join(shared, try bench.request("1", change), "two")
            #expect(bench.starter.made.all.count == before + 2, "\(name)")
            let old = try bench.shared(100, .fifo, .equalURLs)
            bench.join(old, try bench.request("1"), "one")
            bench.join(old, try bench.request("1", change), "two")
            #expect(bench.starter.made.all.count == before + 3, "\(name)")
        }
    }

    @Test func `a login is shared with the same login alone`() throws {
        let shared = try bench.shared()
        for login in ["a", "b", "a"] {
            bench.join(
                shared,
                try bench.request("1") { $0.setValue(login, forHTTPHeaderField: "Authorization") },
                login)
        }
        #expect(bench.starter.made.all.count == 2)
    }

    @Test func `a login that the manager adds is shared with the same login alone`() throws {
        let (shared, old) = (try bench.shared(), try bench.shared(4, .fifo, .equalURLs))
        for login in ["a", "b", "a", nil] {
            bench.starter.login.withLock { $0 = login }
            bench.join(shared, try bench.request("1"), login ?? "none")
        }
        #expect(bench.starter.made.all.count == 3)
        for login in ["a", "b"] {
            bench.starter.login.withLock { $0 = login }
            bench.join(old, try bench.request("1"), login)
        }
        #expect(bench.starter.made.all.count == 4)
    }

    @Test func `a request that is not safe, or has a stream, shares with none`() throws {
        let shared = try bench.shared(100)
        for _ in 0..<2 {
            bench.join(shared, try bench.request("1") { $0.httpMethod = "POST" }, "post")
            bench.join(
                shared, try bench.request("1") { $0.httpBodyStream = InputStream(data: Data()) },
                "stream")
        }
        #expect(bench.starter.made.all.count == 4)
    }

    @Test func `what is kept is asked for only where there is nothing to join`() throws {
        let shared = try bench.shared()
        #expect(bench.join(shared, try bench.request("1"), "one", kept: "y") == nil)
        #expect(bench.starter.made.all.isEmpty)
        bench.join(shared, try bench.request("1"), "two")
        #expect(bench.join(shared, try bench.request("1"), "three", kept: "y") != nil)
        #expect(bench.log.all == ["one had y"])
    }

    @Test func `one who looks just before a transfer ends looks once more and finds what it kept`()
        throws
    {
        let shared = try bench.shared()
        bench.join(shared, try bench.request("2"), "other")
        let asked = Locked(0)
        let part = shared.join(try bench.request("1")) {
            // Between the two looks a transfer ends.
            let count = asked.withLock { count in
                count += 1
                return count
            }
            if count == 1 { try? bench.transfer(0).end("z") }
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
        let shared = try bench.shared()
        bench.join(shared, try bench.request("1"), "one")
        bench.join(shared, try bench.request("1"), "two")
        try bench.transfer(0).fail()
        bench.join(shared, try bench.request("2"), "three")
        try bench.transfer(1).end(7)
        #expect(bench.log.all == ["one -1001", "two -1001", "three 1"])
    }

    @Test func `a limit below one is refused`() {
        for limit in [0, -1] {
            #expect(throws: SharedTransferError.noActiveTransfers(limit)) {
                try bench.shared(limit)
            }
        }
    }
}
