import TestSupport

@testable import CurlConnection

/// What a child process would inherit.
@Suite("Sockets and child processes", .timeLimit(.minutes(5)))
struct InheritedSocketTests {
    @Test func `a connection's socket is closed in a child process`() throws {
        try withWorld { world in
            #expect(world.load("/ok").text == "hello world")
            #expect(world.load("/bytes/1000").data.count == 1_000)
            let own = socketsConnected(to: world.server.port)
            #expect(!own.isEmpty)
            #expect(own.allSatisfy { fcntl($0, F_GETFD) & FD_CLOEXEC != 0 })
        }
    }
}

/// This process's sockets whose other end is at a port of this machine.
private func socketsConnected(to port: UInt16) -> [Int32] {
    (0..<1_024).filter { socket in
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let found = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &size) }
        }
        return found == 0 && address.sin_family == UInt16(AF_INET)
            && UInt16(bigEndian: address.sin_port) == port
    }
}
