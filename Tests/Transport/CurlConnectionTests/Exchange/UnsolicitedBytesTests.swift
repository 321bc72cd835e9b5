import CCurl
import TestSupport

@testable import CurlConnection

@Suite("Bytes before a request", .timeLimit(.minutes(1)))
struct UnsolicitedBytesTests {
    /// Two connected sockets of the loopback interface, closed at the end.
    private final class Pair {
        let near: Int32
        let far: Int32
        let port: Int32
        let remotePort: Int32

        init(_ family: Int32 = AF_INET) throws {
            let listener = socket(family, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            withUnsafeMutableBytes(of: &storage) { bytes in
                if family == AF_INET {
                    let address = bytes.bindMemory(to: sockaddr_in.self)
                    address[0].sin_family = sa_family_t(AF_INET)
                    address[0].sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
                    size = socklen_t(MemoryLayout<sockaddr_in>.size)
                } else {
                    let address = bytes.bindMemory(to: sockaddr_in6.self)
                    address[0].sin6_family = sa_family_t(AF_INET6)
                    address[0].sin6_addr = in6addr_loopback
                    size = socklen_t(MemoryLayout<sockaddr_in6>.size)
                }
            }
            let near = socket(family, Int32(SOCK_STREAM.rawValue), 0)
            let (bound, connected, ports) = withUnsafeMutableBytes(of: &storage) { bytes in
                let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
                let bound = bind(listener, address, size) + listen(listener, 1)
                _ = getsockname(listener, address, &size)
                let remote = bytes.load(fromByteOffset: 2, as: UInt16.self)
                let connected = connect(near, address, size)
                _ = getsockname(near, address, &size)
                return (bound, connected, (bytes.load(fromByteOffset: 2, as: UInt16.self), remote))
            }
            try #require(bound == 0 && connected == 0)
            self.near = near
            far = accept(listener, nil, nil)
            port = Int32(UInt16(bigEndian: ports.0))
            remotePort = Int32(UInt16(bigEndian: ports.1))
        }

        func say(_ text: String) {
            _ = text.utf8CString.withUnsafeBytes { write(far, $0.baseAddress, $0.count - 1) }
        }

        deinit {
            close(near)
            close(far)
        }
    }

    @Test
    func
        `a silent connection has nothing, one that spoke has something, and looking takes nothing`()
        throws
    {
        let pair = try Pair()
        #expect(UnsolicitedBytes.inSocket(pair.near) == .none)
        pair.say("HTTP/1.1 200 OK\r\n\r\n")
        #expect(UnsolicitedBytes.inSocket(pair.near) == .some)
        #expect(UnsolicitedBytes.inSocket(pair.near) == .some)
        var room = [UInt8](repeating: 0, count: 100)
        #expect(recv(pair.near, &room, 100, 0) == 19)
        #expect(UnsolicitedBytes.inSocket(pair.near) == .none)
        shutdown(pair.far, Int32(SHUT_WR))
        #expect(UnsolicitedBytes.inSocket(pair.near) == .end)
        #expect(UnsolicitedBytes.inSocket(-1) == .end)
    }

    @Test(arguments: [AF_INET, AF_INET6])
    func `the connection is found by its ends among others`(family: Int32) throws {
        let pair = try Pair(family)
        let other = try Pair(family)
        other.say("x")
        let address = family == AF_INET ? "127.0.0.1" : "::1"
        let set = try DescriptorSet()
        for socket in [other.near, other.far, pair.near] { set.adopt(socket) }
        func find(_ local: Int32, _ remote: Int32, _ address: String) -> Int32? {
            set.connection(
                with: ConnectionEnds(
                    localPort: local, remotePort: remote, remoteAddress: address))
        }
        #expect(find(pair.port, pair.remotePort, address) == pair.near)
        #expect(find(other.port, other.remotePort, address) == other.near)
        #expect(find(pair.port, other.remotePort, address) == nil)
        #expect(find(pair.port, pair.remotePort, "127.0.0.2") == nil)
        set.forget(pair.near)
        #expect(find(pair.port, pair.remotePort, address) == nil)
        set.adopt(pair.near)
        #expect(find(pair.port, pair.remotePort, address) == pair.near)
    }

    @Test
    func `early bytes are no response: a kept connection is left, a new one refused`() {
        func action(
            _ bytes: UnsolicitedBytes, isKept: Bool, tickets: Bool, isMidway: Bool = false
        ) -> UnsolicitedBytes.Action {
            bytes.action(isKept: isKept, mayHoldTickets: tickets, isMidway: isMidway)
        }
        for tickets in [false, true] {
            for isKept in [false, true] {
                #expect(action(.none, isKept: isKept, tickets: tickets) == .send)
            }
            for bytes in [UnsolicitedBytes.some, .end] {
                #expect(action(bytes, isKept: true, tickets: tickets) == .useNewConnection)
            }
            #expect(action(.end, isKept: false, tickets: tickets) == .send)
        }
        let fault = ResponseFault("The server spoke before it was asked.")
        #expect(action(.some, isKept: false, tickets: false) == .refuse(fault))
        // A request that answers a challenge cannot begin again on another connection.
        for isKept in [false, true] {
            #expect(
                action(.some, isKept: isKept, tickets: false, isMidway: true) == .refuse(fault))
        }
        // Session tickets of TLS 1.3.
        #expect(action(.some, isKept: false, tickets: true) == .send)
        #expect(action(.some, isKept: false, tickets: true, isMidway: true) == .send)
    }
}
