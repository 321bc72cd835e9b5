import Foundation
import Testing

@testable import OperationNetworking

@Suite("What a reachability manager is asked about", .timeLimit(.minutes(5)))
struct ReachabilityTargetTests {
    private func address(_ text: String) throws -> NetworkAddress {
        try #require(NetworkAddress(literal: text), "\(text)")
    }

    @Test(arguments: ["localhost", "LocalHost", "localhost.", "api.localhost", "a.b.LOCALHOST."])
    func `localhost means the loopback addresses`(name: String) {
        let target = ReachabilityTarget(domain: name)
        #expect(target?.destinations == [.host(.loopback4), .host(.loopback6)])
    }

    @Test(arguments: [
        "example.org", "example.org.", "mylocalhost", "localhost.example.org", "999.1.1.1",
        "192.0.2.1.", "[::1]", "müller.example", "a\0b", "%", " ", "0.0.0.0", "::",
    ])
    func `other names, and the address of anybody, mean the network in general`(name: String) {
        #expect(ReachabilityTarget(domain: name) == .general)
    }

    @Test func `the network in general is a name server of the root, IPv4 before IPv6`() throws {
        let servers = try ["198.41.0.4", "2001:503:ba3e::2:30"].map(address)
        #expect(ReachabilityTarget.general.destinations == servers.map { .host($0) })
    }

    @Test(arguments: ["", "."])
    func `no name means nothing`(name: String) {
        #expect(ReachabilityTarget(domain: name) == nil)
    }

    @Test(arguments: ["192.0.2.1", "2001:db8::1", "::1", "127.0.0.1", "fe80::1%1"])
    func `an address in figures means itself`(text: String) throws {
        #expect(ReachabilityTarget(domain: text)?.destinations == [.host(try address(text))])
    }

    @Test func `addresses are read to their bytes, family and interface`() throws {
        #expect(try address("192.0.2.1").bytes == [192, 0, 2, 1])
        let six = try address("2001:db8::ff")
        #expect(six.bytes == [0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [255])
        #expect(six.family == .ipv6 && six.interface == 0)
        #expect(try address("fe80::1%7").interface == 7)
        #expect(try address("::ffff:192.0.2.1") == address("192.0.2.1"))
        #expect(NetworkAddress(literal: "example.org") == nil)
    }

    @Test func `what kind of address it is`() throws {
        let loopback = ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1"]
        let linkLocal = ["fe80::1", "febf::1"]
        let other = [
            "128.0.0.1", "169.253.1.1", "a9fe::1", "::2", "fec0::1", "fe7f::1", "169.254.1.1", "::",
        ]
        for text in loopback + linkLocal + other {
            #expect(try address(text).isLoopback == loopback.contains(text), "\(text)")
            #expect(try address(text).isLinkLocal6 == linkLocal.contains(text), "\(text)")
            let isLinkLocal = linkLocal.contains(text) || text == "169.254.1.1"
            #expect(try address(text).isLinkLocal == isLinkLocal, "\(text)")
            #expect(try address(text).isUnspecified == (text == "::"), "\(text)")
        }
    }

    @Test func `socket addresses are read wherever they lie, others are none`() throws {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = 80
        four.sin_addr.s_addr = UInt32(0xC000_0201).bigEndian
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_scope_id = 3
        withUnsafeMutableBytes(of: &six.sin6_addr) {
            $0[0] = 0xFE; $0[1] = 0x80; $0[15] = 1
        }
        #expect(NetworkAddress(socketAddress: &four) == (try address("192.0.2.1")))
        #expect(NetworkAddress(socketAddress: &six) == (try address("fe80::1%3")))
        // One byte off every alignment.
        let shifted = [0] + withUnsafeBytes(of: six) { [UInt8]($0) }
        shifted.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            #expect(NetworkAddress(socketAddress: start + 1)?.interface == 3)
        }
        var local = sockaddr_un()
        local.sun_family = sa_family_t(AF_UNIX)
        #expect(NetworkAddress(socketAddress: &local) == nil)
        // Two bytes are enough to tell that it is none.
        let none: [UInt8] = [0xFF, 0xFF]
        #expect(NetworkAddress(socketAddress: none) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("::ffff:127.0.0.1", true),
        ("127.example.org", false), ("127.0.0.1.example.org", false), ("::2", false),
        ("128.0.0.1", false), (":", false), ("", false),
    ])
    func `a name that begins like an address of this machine is none`(
        _ host: String, _ isLoopback: Bool
    ) {
        #expect(NetworkAddress.isLoopback(host) == isLoopback)
    }
}
