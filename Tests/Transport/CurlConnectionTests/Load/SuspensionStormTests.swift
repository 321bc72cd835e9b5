import CurlConnection
import TestSupport

@Suite("Suspended, resumed and cancelled at random", .timeLimit(.minutes(5)))
struct SuspensionStormTests {
    private enum Order: CaseIterable, Sendable {
        case suspend, resume, cancel
    }

    /// One load, and what is done to it: at the calls of its delegate, and from outside.
    private final class Load: @unchecked Sendable {
        // @unchecked because all but the constants is used on the loop's thread.
        let decider: Decider
        let request: URLRequest
        let expected: UInt64?
        let outside: [Order]
        private var inside: [Order?]
        private(set) var endsAtCancel: Int?

        init(_ number: Int, _ world: TestWorld, _ random: inout SeededNumbers) {
            let late: [Decider.Question] = [.redirect, .response, .cache]
            decider = number % 3 == 0 ? Decider(late: late[number / 3 % 3]) : Decider()
            let paths = [
                "/ok", "/bytes/300000?seed=1", "/redirect?to=/bytes/300000?seed=1", "/coded",
                "/upload", "/chunked-slowly", "/204", "/kept",
            ]
            let path = paths.randomElement(using: &random) ?? "/ok"
            var request = world.request(path)
            if path == "/upload" {
                request.httpMethod = "PUT"
                request.httpBody = Data(count: 400_000)
            }
            self.request = request
            expected =
                path.contains("/bytes/") ? GeneratedBytes.hash(seed: 1, range: 0..<300_000) : nil
            let orders: [Order] = [
                .suspend, .resume, .suspend, .resume, .suspend, .resume, .cancel,
            ]
            outside = (0..<Int.random(in: 0...8, using: &random)).compactMap { _ in
                orders.randomElement(using: &random)
            }
            inside = (0..<12).map { _ in
                Bool.random(using: &random) ? nil : orders.randomElement(using: &random)
            }
        }

        func watch() {
            decider.recorder.onCall = { [unowned self] call, _ in
                guard call != .notConsumed, !inside.isEmpty, let order = inside.removeFirst() else {
                    return
                }
                apply(order)
            }
        }

        /// Whether its delegate still has to hear of an end.
        var isUnderWay: Bool { endsAtCancel == nil && !decider.heard.hasEnded }

        func apply(_ order: Order) {
            guard let connection = decider.recorder.connection else { return }
            switch order {
            case .suspend: connection.suspend()
            case .resume: connection.resume()
            case .cancel:
                connection.cancel()
                if endsAtCancel == nil { endsAtCancel = decider.heard.ends }
            }
        }
    }

    @Test(arguments: 0..<10)
    func `each ends exactly once, whole, in 300 orders`(batch: Int) throws {
        try withWorld { world in
            world.server.add("/coded") { _ in
                .data(Compressed.zeros, headers: [("Content-Encoding", "gzip")])
            }
            world.server.add("/chunked-slowly") { _ in
                .chunked([Data(count: 1_000), Data(count: 100_000), Data(count: 1)])
            }
            world.server.add("/kept") { _ in
                .text("kept", headers: [("Cache-Control", "max-age=600")])
            }
            let cache = try ResponseCache(memoryCapacity: 1 << 20)
            var random = SeededNumbers(seed: UInt64(batch + 1))
            let loads = (0..<30).map { Load($0, world, &random) }
            for load in loads {
                load.watch()
                world.thread.start(load.request, load.decider) {
                    $0.configuration.responseCache = cache
                }
            }
            // When all are treated in turns, some with the loop going round in between
            for round in 0..<8 {
                for load in loads where round < load.outside.count {
                    let order = load.outside[round]
                    world.thread.run { load.apply(order) }
                    load.decider.goOn()
                }
                if round % 2 == Int(random.next() % 2) { world.thread.settle() }
            }
            // And at last go on, all at once, since those that rest keep their connections
            let deadline = Date(timeIntervalSinceNow: patience)
            while world.thread.sync({ loads.contains(where: \.isUnderWay) }) == true,
                Date() < deadline
            {
                for load in loads {
                    load.decider.goOn()
                    world.thread.run { load.apply(.resume) }
                }
                world.thread.settle()
            }
            world.thread.settle()
            for load in loads {
                let heard = load.decider.heard
                let ends = try #require(world.thread.sync { load.endsAtCancel ?? 1 })
                #expect(heard.ends == ends, "\(heard.order)")
                #expect(heard.error == nil)
                if let expected = load.expected, heard.calls.contains(.finish) {
                    #expect(BodyHash.of(heard.data) == expected)
                }
            }
            #expect(world.load("/ok").text == "hello world")
        }
    }
}
