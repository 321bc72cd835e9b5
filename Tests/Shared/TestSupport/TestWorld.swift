package import HTTPSemantics

/// A server and a clock for one test, and what else it asks for: a folder, another server, a thread or a
/// manager of the tested module. That is made when it is first asked for, and ends with the world.
///
/// ## Concurrency
/// Call from: any thread. Lock: its own, held while a thing is made.
package final class TestWorld: @unchecked Sendable {
    // @unchecked because what it owns is touched under the lock alone.
    package let server: LoopbackServer
    package let clock = TurnableClock()
    private let timeout: TimeInterval
    // Recursive, because one thing is made of another.
    private let lock = NSRecursiveLock()
    private var owned: [String: any Sendable] = [:]
    private var endings: [@Sendable () -> Void] = []

    /// - Parameter timeout: that of its requests.
    package init(routes: Routes, tls: TLSSettings? = nil, timeout: TimeInterval = 60) {
        server = .started(routes: routes, tls: tls)
        self.timeout = timeout
    }

    package convenience init() {
        self.init(routes: .standard)
    }

    /// The server speaks TLS, with `identity`.
    package init(tls change: (inout TLSSettings) -> Void) {
        let authority = Self.root()
        let identity = Self.leaf(of: authority)
        var settings = TLSSettings(identity)
        change(&settings)
        server = .started(tls: settings)
        timeout = 60
        owned = ["authority": authority, "identity": identity]
    }

    deinit { end() }

    /// Ends all that it owns, in the order in which it was made, and the server.
    package func end() {
        let due = lock.withLock {
            defer { endings = [] }
            return endings
        }
        for ending in due { ending() }
        server.stop()
    }

    /// The thing of this name; the first call makes it.
    package func own<Thing: Sendable>(
        _ name: String = #function, end: (@Sendable (Thing) -> Void)? = nil, make: () -> Thing
    ) -> Thing {
        lock.withLock {
            if let thing = owned[name] as? Thing { return thing }
            let thing = make()
            owned[name] = thing
            if let end { endings.append { end(thing) } }
            return thing
        }
    }

    // MARK: Servers

    /// A server of another host.
    package var other: LoopbackServer {
        own(end: { $0.stop() }) { .started(address: "127.0.0.2") }
    }

    /// Who signed `identity`.
    package var authority: TLSIdentity { own { Self.root() } }

    /// A server's, for 127.0.0.1 and localhost.
    package var identity: TLSIdentity { own { Self.leaf(of: authority) } }

    private static func root() -> TLSIdentity {
        required { try TLSIdentity(.authority("the world's root")) }
    }

    private static func leaf(of root: TLSIdentity) -> TLSIdentity {
        required { try TLSIdentity(.loopback, signedBy: root) }
    }

    // MARK: Requests

    /// The text of a path's URL.
    package func address(_ path: String) -> String { server.url(path).absoluteString }

    package func request(
        _ path: String, _ method: String = "GET", host: String? = nil,
        headers: [String: String] = [:], body: Data? = nil,
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy
    ) -> URLRequest {
        var request = URLRequest(
            url: server.url(path, host: host), cachePolicy: policy, timeoutInterval: timeout)
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body { request.httpBody = body }
        return request
    }

    // MARK: Waiting

    /// Waits until so many answers have come to a gate; an issue when that does not happen.
    @discardableResult
    package func reached(
        _ gate: String, count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
    ) async -> Bool {
        let isReached = await server.reaches(gate, count: count)
        if !isReached {
            Issue.record("No answer came to the gate \(gate).", sourceLocation: sourceLocation)
        }
        return isReached
    }

    /// Waits until the server counts this; an issue when that does not happen.
    @discardableResult
    package func sees(
        _ what: String = "what is waited for", sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: @escaping @Sendable (Statistics) -> Bool
    ) async -> Bool {
        let isSeen = await server.sees { statistics, _ in condition(statistics) }
        if !isSeen {
            Issue.record("The server does not see \(what).", sourceLocation: sourceLocation)
        }
        return isSeen
    }

    /// Waits until the server has no connection.
    package func seesTheClose(sourceLocation: SourceLocation = #_sourceLocation) async {
        await sees("the close", sourceLocation: sourceLocation) { $0.connectionsOpen == 0 }
    }

    // MARK: What was asked

    /// The `Range` fields in the server's log, in order; "-" for a request without one.
    package var ranges: [String] { server.requests.map { $0.headers["Range"] ?? "-" } }

    // MARK: Files

    /// It is there until the world ends.
    package var folder: URL { files.url }
    package var files: TemporaryFolder { own { TemporaryFolder() } }

    package func file(_ name: String) -> URL { files.file(name) }
    package func contents(_ name: String) -> Data? { files.contents(name) }
    /// The names in the folder, sorted.
    package var names: [String] { files.names }
}

/// Waits for a block that is called once.
package func outcome<Value: Sendable>(
    _ body: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
    await withCheckedContinuation { continuation in
        body { continuation.resume(returning: $0) }
    }
}

/// Makes what no test can do without.
package func required<Thing>(_ make: () throws -> Thing) -> Thing {
    do { return try make() } catch { preconditionFailure("\(error)") }
}
