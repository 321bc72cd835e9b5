import TestSupport

@testable import OperationNetworking

/// From the kernel's choice of a source address, and the interfaces, to a status.
@Suite("From the kernel's answer to a status", .timeLimit(.minutes(5)))
struct ReachabilityAnswerTests {
    private func address(_ text: String) throws -> NetworkAddress {
        try #require(NetworkAddress(literal: text), "\(text)")
    }

    private func interface(
        _ name: String, _ addresses: String..., isRunning: Bool = true
    ) throws -> NetworkInterface {
        NetworkInterface(
            name: name, isRunning: isRunning, isLoopback: name == "lo",
            addresses: try addresses.map(address))
    }

    private func answer(
        from source: String?, to destination: String, over interfaces: NetworkInterface...
    ) throws -> ReachabilityAnswer {
        ReachabilityAnswer(
            from: try source.map(address), to: try address(destination), over: interfaces)
    }

    @Test(
        arguments: [
            ("wwan0", 1, true), ("wwp0s20u4", 1, true), ("ppp0", 1, true), ("rmnet_data0", 1, true),
            ("tun3", 512, true), ("usb0", 519, true), ("eth0", 1, false), ("wlan0", 1, false),
            ("wlp3s0", 1, false), ("lo", 772, false), ("tun0", 65534, false), ("", 1, false),
            ("xwwan0", 1, false),
        ] as [(String, UInt16, Bool)])
    func `mobile networks are told by name or type`(
        name: String, type: UInt16, isWWAN: Bool
    ) throws {
        var interface = try interface(name, "192.0.2.2")
        interface.hardwareType = type
        #expect(interface.isWWAN == isWWAN)
        let answer = try answer(from: "192.0.2.2", to: "198.51.100.1", over: interface)
        #expect(answer.status == (isWWAN ? .reachableViaWWAN : .reachableViaWiFi))
    }

    @Test func `the interface is the one that has the source address, and must run`() throws {
        let (lo, other) = try (interface("lo", "127.0.0.1"), interface("eth1", "203.0.113.2"))
        for isRunning in [true, false] {
            let own = try interface("eth0", "192.0.2.2", "192.0.2.3", isRunning: isRunning)
            let answer = try answer(from: "192.0.2.3", to: "198.51.100.1", over: lo, own, other)
            #expect(answer.interface == (isRunning ? "eth0" : nil))
            #expect(answer.status == (isRunning ? .reachableViaWiFi : .notReachable))
        }
        #expect(try answer(from: nil, to: "198.51.100.1", over: lo, other).status == .notReachable)
        let lost = try answer(from: "192.0.2.3", to: "198.51.100.1", over: lo, other)
        #expect(lost.status == .notReachable)
    }

    @Test func `of two with the same address one that works is enough, WiFi before mobile`() throws
    {
        let mobile = try interface("wwan0", "192.0.2.2")
        for isRunning in [true, false] {
            let cable = try interface("eth0", "192.0.2.2", isRunning: isRunning)
            for pair in [[mobile, cable], [cable, mobile]] {
                let answer = ReachabilityAnswer(
                    from: try address("192.0.2.2"), to: .rootServer4, over: pair)
                #expect(answer.interface == (isRunning ? "eth0" : "wwan0"))
            }
        }
    }

    /// Each address with each: the kernel lends what reaches less far than the destination.
    @Test(
        arguments: [
            ("127.0.0.1", "127.8.9.10", true), ("::1", "::1", true),
            ("192.0.2.2", "198.51.100.1", true), ("192.0.2.2", "192.0.2.2", true),
            ("169.254.1.2", "198.51.100.1", true), ("fe80::2", "fe80::1", true),
            ("2001:db8::2", "fe80::1", true), ("2001:db8::2", "2001:db8:1::1", true),
            ("::1", "2001:db8:1::1", false), ("::1", "fe80::1", false),
            ("fe80::2", "2001:db8:1::1", false), ("127.0.0.1", "198.51.100.1", false),
            ("0.0.0.0", "198.51.100.1", false), ("::", "2001:db8:1::1", false),
        ])
    func `a source counts that an answer could come back to`(
        source: String, destination: String, isOne: Bool
    ) throws {
        let answer = try answer(from: source, to: destination, over: interface("eth0", source))
        #expect(answer.status == (isOne ? .reachableViaWiFi : .notReachable))
    }

    @Test func `another machine is reached over any interface with an address of its own`() throws {
        let (lo, far) = try (interface("lo", "127.0.0.1", "10.9.0.1"), interface("eth0"))
        let near = try interface("eth1", "169.254.1.2", "fe80::2")
        let off = try interface("eth2", "192.0.2.2", isRunning: false)
        let none = ReachabilityAnswer(toAnyHostOver: [lo, far, near, off])
        #expect(none.status == .notReachable && none.interface == nil)
        for text in ["10.1.2.3", "192.0.2.2", "fd00::2", "2001:db8::2"] {
            let mobile = try interface("wwan0", "fe80::3", text)
            let over = ReachabilityAnswer(toAnyHostOver: [lo, near, mobile, off])
            #expect(over.status == .reachableViaWWAN && over.interface == "wwan0")
            let cable = try interface("eth3", text)
            let best = ReachabilityAnswer(toAnyHostOver: [lo, near, mobile, cable])
            #expect(best.status == .reachableViaWiFi && best.interface == "eth3")
        }
    }
}
