import CurlConnection
import OperationNetworking
import TestSupport

#if os(Linux)
    /// Operations on a network that goes away, in a network made for them.
    @Suite(
        "Case R78: the network is lost", .serialized, .timeLimit(.minutes(2)),
        .enabled(if: NetworkNamespace.refusal == nil, "Needs a process of its own, root, and ip."))
    struct NetworkLossTests {
        private let space = NetworkNamespace()

        /// A network thread whose sockets belong to the namespace.
        private func thread() -> NetworkThread {
            space.perform { NetworkThread(name: "lost") }
        }

        private func operation(
            _ url: URL, _ thread: NetworkThread, timeout: TimeInterval
        ) -> HTTPRequestOperation {
            let operation = HTTPRequestOperation(
                request: URLRequest(url: url, timeoutInterval: timeout))
            operation.networkThread = thread
            operation.configuration.httpMaximumConnectionsPerHost = 50
            operation.configuration.responseCache = nil
            return operation
        }

        /// Runs operations to their end, and counts their ends.
        private func run(
            _ operations: [HTTPRequestOperation], _ meanwhile: () async -> Void = {}
        ) async {
            let ended = Signal()
            for operation in operations {
                operation.completionQueue = DispatchQueue(label: "lost")
                operation.completionBlock = { ended.fire() }
                operation.start()
            }
            await meanwhile()
            await ended.wait(for: operations.count, "the end of all")
            #expect(ended.count == operations.count)
        }

        private func code(_ operation: HTTPRequestOperation) -> URLError.Code? {
            (operation.error as? URLError)?.code
        }

        @Test
        func `R78: without a network requests fail at once, and say that there is none`()
            async throws
        {
            let thread = self.thread()
            let urls = ["http://192.0.2.1/", "https://192.0.2.1/", "http://198.51.100.1:8080/"]
            let operations = try urls.map {
                operation(try #require(URL(string: $0)), thread, timeout: 30)
            }
            let start = ContinuousClock.now
            await run(operations)
            #expect(start.duration(to: .now) < .seconds(5))
            for operation in operations {
                #expect(code(operation) == .notConnectedToInternet, "\(operation.error as Any)")
            }
        }

        @Test
        func `R78, T13: fifty downloads outlive three seconds without their link, or time out`()
            async throws
        {
            space.ip("link set lo up")
            let server = LoopbackServer()
            try space.perform { Result { try server.start() } }.get()
            defer { server.stop() }
            let thread = self.thread()
            // Half of them have more patience than the link is away.
            let path = "/drip?n=40&size=4000&delay=0.05"
            let operations = (0..<50).map {
                operation(server.url(path), thread, timeout: $0 % 2 == 0 ? 1 : 20)
            }
            let begun = Signal()
            for operation in operations {
                operation.setDownloadProgressBlock { bytes, total, _ in
                    if bytes == total { begun.fire() }
                }
            }
            await run(operations) {
                await begun.wait(for: operations.count, "the first bytes of all")
                #expect(operations.allSatisfy { !$0.isFinished })
                space.ip("link set lo down")
                // The loss itself, which is to last so long (T13); nothing is waited for here.
                try? await Task.sleep(for: .seconds(3))
                space.ip("link set lo up")
            }
            for (number, operation) in operations.enumerated() {
                if number % 2 == 0 {
                    #expect(code(operation) == .timedOut, "\(number)")
                } else {
                    #expect(operation.error == nil, "\(number): \(operation.error as Any)")
                    #expect(operation.responseData?.count == 160_000, "\(number)")
                }
            }
            let next = operation(server.url("/ok"), thread, timeout: 20)
            await run([next])
            #expect(next.error == nil)
            #expect(next.responseString?.isEmpty == false)
        }
    }
#endif
