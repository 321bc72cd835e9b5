import HTTPSemantics
import Locking

/// The servers that a session's delegate accepted.
///
/// URLSession asks once a connection; `URLConnection` before each request, and an answer from
/// another queue costs it a second handshake. So an accepted server is not asked about again.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the list. Calls out on: nobody.
struct AcceptedServers: Sendable {
    private struct Server: Hashable {
        let host: String
        let certificates: [Certificate]
    }

    /// Whoever names many servers does not fill the memory: then all are asked about again.
    private static let limit = 128

    private let accepted = Locked<Set<Server>>([])

    func contains(_ trust: ServerTrust) -> Bool {
        let server = Server(host: trust.host, certificates: trust.certificates)
        return accepted.withLock { $0.contains(server) }
    }

    func add(_ trust: ServerTrust) {
        let server = Server(host: trust.host, certificates: trust.certificates)
        accepted.withLock { accepted in
            if accepted.count >= Self.limit { accepted.removeAll() }
            accepted.insert(server)
        }
    }

    func removeAll() {
        accepted.withLock { $0.removeAll() }
    }
}
