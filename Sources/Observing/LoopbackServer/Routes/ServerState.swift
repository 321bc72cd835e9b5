/// The state of a server that routes may use.
struct ServerState: Sendable {
    let journal: Journal
    let table: RouteTable
    /// A part of this server's nonces, random for each server.
    let secret = String(UInt64.random(in: .min ... .max), radix: 16)
}
