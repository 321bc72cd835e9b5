/// Runs a block that may block on a new thread, because the threads that run tests are few.
package func onNewThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

extension LoopbackServer {
    /// A server that runs; an issue when it cannot.
    package static func started(
        routes: Routes = .standard, address: String = "127.0.0.1", tls: TLSSettings? = nil
    ) -> LoopbackServer {
        let server = LoopbackServer(routes: routes, address: address, tls: tls)
        do { try server.start() } catch { Issue.record(error) }
        return server
    }

    /// Waits until so many answers have come to a gate; false when that does not happen.
    package func reaches(_ gate: String, count: Int = 1) async -> Bool {
        await onNewThread { self.waitUntilReached(gate, count: count, timeout: patience) }
    }

    /// Waits until the server counts this; false when that does not happen.
    package func sees(
        _ condition: @escaping @Sendable (Statistics, [RecordedRequest]) -> Bool
    ) async -> Bool {
        await onNewThread { self.waitUntil(timeout: patience, condition) }
    }
}
