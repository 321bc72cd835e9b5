/// What the handlers of the standard routes may ask of their server.
struct ServerState: Sendable {
    let journal: Journal
    let table: RouteTable
    /// What makes this server's nonces differ from every other's.
    let secret = String(UInt64.random(in: .min ... .max), radix: 16)
}
