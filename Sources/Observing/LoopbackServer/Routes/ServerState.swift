import Locking

/// The state of a server that routes may use.
struct ServerState: Sendable {
    let journal = Journal()
    let routes: Locked<Routes>
    /// Called with each request and its response's status.
    let observer = Locked<(@Sendable (RecordedRequest, Int) -> Void)?>(nil)
    /// A part of this server's nonces, random for each server.
    let secret = String(UInt64.random(in: .min ... .max), radix: 16)

    init(_ routes: Routes) {
        self.routes = Locked(routes)
    }
}
