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

    private struct State {
        var accepted: Set<Server> = []
        /// How often all were forgotten.
        var round = 0
    }

    private let state = Locked(State())

    /// Which answers count: those to questions of this round.
    var round: Int { state.withLock { $0.round } }

    func contains(_ trust: ServerTrust) -> Bool {
        let server = Server(host: trust.host, certificates: trust.certificates)
        return state.withLock { $0.accepted.contains(server) }
    }

    /// - Parameter round: of the question; who answers may have been replaced since.
    func add(_ trust: ServerTrust, in round: Int) {
        let server = Server(host: trust.host, certificates: trust.certificates)
        state.withLock { state in
            guard state.round == round else { return }
            if state.accepted.count >= Self.limit { state.accepted.removeAll() }
            state.accepted.insert(server)
        }
    }

    func removeAll() {
        state.withLock { state in
            state.accepted.removeAll()
            state.round += 1
        }
    }
}
