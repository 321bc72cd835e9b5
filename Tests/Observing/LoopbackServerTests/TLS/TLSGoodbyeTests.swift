import Foundation
import Testing

@testable import LoopbackServer

@Suite("The notice of the end over TLS", .timeLimit(.minutes(5)))
struct TLSGoodbyeTests {
    /// A connection after its handshake, and the client's end of its socket.
    private struct Pair {
        let connection: Connection
        let client: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            let (server, client) = (ends[0], ends[1])
            _ = fcntl(server, F_SETFL, fcntl(server, F_GETFL) | O_NONBLOCK)
            let state = ServerState(.standard)
            let context = try TLSContext(TLSSettings(TLSIdentity(.loopback)))
            connection = Connection(
                server, number: 1, context: LoopContext(state, tls: context))
            self.client = client
            let thread = Thread { _ = try? ClientTLS(.init(), client) }
            thread.start()
            for _ in 0..<100 where connection.phase == .handshake {
                var polled = pollfd(fd: server, events: connection.interest, revents: 0)
                poll(&polled, 1, 1_000)
                connection.ready(polled.revents)
            }
            try #require(connection.phase == .head)
        }

        /// Reads what the kernel holds; true at the end of the stream.
        func drain() -> Bool {
            var room = [UInt8](repeating: 0, count: 65_536)
            var count = 1
            while count > 0 { count = recv(client, &room, room.count, Int32(MSG_DONTWAIT)) }
            return count == 0
        }
    }

    @Test func `it waits for room and the end waits for it`() throws {
        let pair = try Pair()
        let connection = pair.connection
        let junk = [UInt8](repeating: 0, count: 1)
        while case .moved = junk.withUnsafeBytes({ Sockets.send(connection.descriptor, $0) }) {}
        connection.end(.fin)
        #expect(connection.phase == .lingering)
        #expect(connection.interest & Sockets.writable != 0)
        #expect(!pair.drain())
        connection.ready(Sockets.writable)
        #expect(connection.interest & Sockets.writable == 0)
        #expect(pair.drain())
        connection.resume()
        #expect(connection.phase == .closed)
        close(pair.client)
    }

    @Test func `a peer that never reads is left after a while`() throws {
        let pair = try Pair()
        let connection = pair.connection
        let junk = [UInt8](repeating: 0, count: 1)
        while case .moved = junk.withUnsafeBytes({ Sockets.send(connection.descriptor, $0) }) {}
        connection.end(.fin)
        #expect(connection.deadline != .max)
        connection.resume()
        #expect(connection.phase == .closed)
        close(pair.client)
    }
}
