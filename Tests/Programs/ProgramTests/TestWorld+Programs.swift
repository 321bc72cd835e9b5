import HTTPSemantics
import OperationNetworking
import TestSupport

extension TestWorld {
    /// For programs: they use the shared cookie storage, and all their servers are one host.
    convenience init(programs routes: Routes, tls: TLSSettings? = nil) {
        self.init(routes: routes, tls: tls)
        _ = own(
            "cookies",
            end: { [server] in
                server.stop()
                $0.removeAll()
            }
        ) { CookieStorage.shared }
    }

    var baseURL: URL { server.baseURL }
    /// The same without the slash at its end.
    var base: String { String(baseURL.absoluteString.dropLast()) }

    /// Adds a file whose first answer stops at the gate "half", behind 100,000 bytes.
    func addTape(_ path: String, _ body: Data) {
        server.hold("half")
        server.add(path) { request in
            let tag = ("ETag", "\"t\"")
            if let range = request.headers["Range"], let from = Int(range.dropFirst(6).dropLast()) {
                let place = "bytes \(from)-\(body.count - 1)/\(body.count)"
                return .data(
                    body.dropFirst(from), status: 206, headers: [tag, ("Content-Range", place)])
            }
            let head = ScriptedResponse.head(200, [tag, ("Content-Length", "\(body.count)")])
            return ScriptedResponse([
                .bytes(head + body.prefix(100_000)), .wait(gate: "half"),
                .bytes(body.dropFirst(100_000)),
            ])
        }
    }

    /// Bodies of requests for a path, as text.
    func bodies(_ path: String) -> [String] {
        server.requests.filter { $0.path == path }.map { String(decoding: $0.body, as: UTF8.self) }
    }
}

/// What a block was given, on its way to the test that waits for it.
private struct Given<Value>: @unchecked Sendable {
    // @unchecked because the block is done with it when the test gets it.
    let value: Value
}

/// Waits for a block, which is called once.
func answer<Value>(
    isolation: isolated (any Actor)? = #isolation,
    _ body: (@escaping @Sendable (Value) -> Void) throws -> Void
) async rethrows -> Value {
    let (stream, continuation) = AsyncStream.makeStream(
        of: Given<Value>.self, bufferingPolicy: .bufferingOldest(1))
    try body {
        if case .enqueued = continuation.yield(Given(value: $0)) { return }
        Issue.record("The block was called twice.")
    }
    for await given in stream { return given.value }
    preconditionFailure("The block was not called.")
}

/// Waits for a block without a value.
func done(
    isolation: isolated (any Actor)? = #isolation, _ body: (@escaping @Sendable () -> Void) -> Void
) async {
    let _: Bool = await answer { finish in body { finish(true) } }
}

/// Whether a GET succeeds.
func succeeds(_ path: String, with manager: HTTPRequestOperationManager) async -> Bool {
    await answer { finish in
        manager.get(path, success: { _, _ in finish(true) }, failure: { _, _ in finish(false) })
    }
}

/// Waits until something holds that only main changes.
func comesTrue(
    isolation: isolated (any Actor)? = #isolation, _ holds: () -> Bool
) async -> Bool {
    let end = Date(timeIntervalSinceNow: patience)
    while !holds(), Date() < end { await MainQueue.settle() }
    return holds()
}
