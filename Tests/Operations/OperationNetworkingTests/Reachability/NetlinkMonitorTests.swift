import CurlConnection
import TestSupport

@testable import OperationNetworking

#if os(Linux)
    /// The monitor against a real kernel, in networks made for it.
    @Suite(
        "Reachability in a network namespace", .timeLimit(.minutes(5)),
        .enabled(if: NetworkNamespace.refusal == nil, "Needs a process of its own, root, and ip."))
    struct NetlinkMonitorTests {
        private let space = NetworkNamespace()

        /// A manager started in the namespace, and what it said.
        private final class Watch: Sendable {
            let manager: NetworkReachabilityManager
            let said = Log<NetworkReachabilityStatus>()
            private let signal = Signal()

            init(_ manager: NetworkReachabilityManager, in space: NetworkNamespace) {
                self.manager = manager
                manager.setReachabilityStatusChangeBlock { [said, signal] in
                    said.add($0)
                    signal.fire()
                }
                space.perform { manager.startMonitoring() }
            }

            /// Waits until the last word is this one.
            func becomes(
                _ status: NetworkReachabilityStatus,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async {
                var count = 1
                while await signal.wait(for: count, "\(status)", sourceLocation: sourceLocation) {
                    if said.all.last == status { return }
                    count = signal.count + 1
                }
            }
        }

        private func watch(_ manager: NetworkReachabilityManager) -> Watch {
            Watch(manager, in: space)
        }

        private let wire = [
            "link add d0 type veth peer name d1", "link set d1 up",
            "addr add 192.0.2.2/24 dev d0", "link set d0 up", "route add default via 192.0.2.1",
        ]

        private let mobile = [
            "link add wwan0 type veth peer name w1", "link set w1 up",
            "addr add 203.0.113.2/24 dev wwan0",
            "link set wwan0 up", "route add default via 203.0.113.1 metric 50",
        ]

        /// Without addresses that come by themselves: such news would hide that others were lost.
        private func quiet(_ lines: [String]) -> [String] {
            let ends = lines[0].split(separator: " ")
            let rules = [ends[2], ends[ends.count - 1]].map { "link set \($0) addrgenmode none" }
            return lines.prefix(1) + rules + lines.dropFirst()
        }

        private func build(_ lines: some Sequence<String>) {
            lines.forEach { space.ip($0) }
        }

        @Test func `nothing there: not reachable, at once, for every kind of destination`() async {
            for domain in ["localhost", "example.org", "192.0.2.1", "::1", "fe80::1"] {
                await watch(NetworkReachabilityManager(domain: domain)).becomes(.notReachable)
            }
            await watch(NetworkReachabilityManager()).becomes(.notReachable)
        }

        @Test func `the loopback interface reaches itself and nothing else`() async {
            let local = watch(NetworkReachabilityManager(domain: "localhost"))
            let general = watch(NetworkReachabilityManager())
            await local.becomes(.notReachable)
            space.ip("link set lo up")
            await local.becomes(.reachableViaWiFi)
            await watch(NetworkReachabilityManager(domain: "127.8.9.10")).becomes(.reachableViaWiFi)
            await watch(NetworkReachabilityManager(domain: "::1")).becomes(.reachableViaWiFi)
            space.ip("link set lo down")
            await local.becomes(.notReachable)
            await general.becomes(.notReachable)
            #expect(!general.manager.isReachable)
        }

        @Test func `an interface, its address and a default route make the network`() async {
            let general = watch(NetworkReachabilityManager())
            let near = watch(NetworkReachabilityManager(domain: "192.0.2.77"))
            let far = watch(NetworkReachabilityManager(domain: "198.51.100.1"))
            await general.becomes(.notReachable)
            build(wire.dropLast())
            await near.becomes(.reachableViaWiFi)
            #expect(general.manager.status == .notReachable)
            space.ip("route add default via 192.0.2.1")
            await general.becomes(.reachableViaWiFi)
            await far.becomes(.reachableViaWiFi)
            space.ip("route del default")
            await general.becomes(.notReachable)
            await far.becomes(.notReachable)
            #expect(near.manager.status == .reachableViaWiFi)
            space.ip("addr del 192.0.2.2/24 dev d0")
            await near.becomes(.notReachable)
        }

        @Test(arguments: ["link set d0 down", "link del d0", "addr flush dev d0"])
        func `what takes the route away takes the network away`(change: String) async {
            build(wire)
            let general = watch(NetworkReachabilityManager())
            await general.becomes(.reachableViaWiFi)
            space.ip(change)
            await general.becomes(.notReachable)
        }

        @Test func `a lost carrier takes the network away and brings it back`() async {
            build(wire)
            let general = watch(NetworkReachabilityManager())
            await general.becomes(.reachableViaWiFi)
            space.ip("link set d1 down")
            await general.becomes(.notReachable)
            space.ip("link set d1 up")
            await general.becomes(.reachableViaWiFi)
        }

        @Test func `IPv6 alone is a network, once its address is checked`() async {
            build([
                wire[0], "link set d1 up", "link set d0 up", "-6 addr add 2001:db8::2/64 dev d0",
                "-6 route add default via 2001:db8::1",
            ])
            let general = watch(NetworkReachabilityManager())
            await general.becomes(.reachableViaWiFi)
            await watch(NetworkReachabilityManager(domain: "2001:db8:1::1"))
                .becomes(.reachableViaWiFi)
            await watch(NetworkReachabilityManager(domain: "198.51.100.1")).becomes(.notReachable)
            space.ip("-6 route del default")
            await general.becomes(.notReachable)
        }

        /// Until then the kernel takes `::1` as the packets' source, or a link-local address.
        @Test(arguments: ["none", "eui64"])
        func `an IPv6 address counts only once it is checked`(linkLocal: String) async {
            build([
                "link set lo up", wire[0], "link set d0 addrgenmode \(linkLocal)",
                "link set d1 up", "link set d0 up",
            ])
            if linkLocal != "none" {
                await watch(NetworkReachabilityManager(domain: "fe80::1%\(number(of: "d0"))"))
                    .becomes(.reachableViaWiFi)
            }
            // As many as keep it from being checked while this test runs.
            set("net/ipv6/conf/d0/dad_transmits", to: "600")
            build(["-6 addr add 2001:db8::2/64 dev d0", "-6 route add default via 2001:db8::1"])
            let general = watch(NetworkReachabilityManager())
            await general.becomes(.notReachable)
            #expect(general.said.all == [.notReachable])
            build([
                "-6 addr del 2001:db8::2/64 dev d0", "-6 addr add 2001:db8::2/64 dev d0 nodad",
                "-6 route replace default via 2001:db8::1",
            ])
            await general.becomes(.reachableViaWiFi)
        }

        /// Without further looks: the kernel's news of the rule are enough.
        @Test(arguments: [("", "192.0.2.2/24", "192.0.2.1"), ("-6 ", "fd00::2/64", "fd00::1")])
        func `routes of a table count while a rule selects it`(
            family: String, address: String, router: String
        ) async {
            build(quiet([wire[0], wire[1], wire[3]]))
            build([
                "\(family)addr add \(address) dev d0 \(family.isEmpty ? "" : "nodad")",
                "\(family)route add default via \(router) table 51820",
            ])
            await watch(NetworkReachabilityManager(domain: router)).becomes(.reachableViaWiFi)
            let said = Log<NetworkReachabilityStatus>()
            let monitor = NetlinkMonitor(target: .general, pauses: [-1])
            space.perform { monitor.start { said.add($0) } }
            #expect(await said.reaches(1))
            space.ip("\(family)rule add not fwmark 51820 table 51820")
            #expect(await said.reaches(2))
            space.ip("\(family)rule del not fwmark 51820 table 51820")
            #expect(await said.reaches(3))
            #expect(said.all == [.notReachable, .reachableViaWiFi, .notReachable])
            monitor.stop()
        }

        /// Of this variable the kernel sends no news, as it sends none of all routes that it drops.
        @Test func `what changes without news is seen at the next look`() async {
            build(quiet(wire))
            build(quiet(mobile))
            space.ip("link set d1 down")
            await watch(NetworkReachabilityManager()).becomes(.notReachable)
            let (said, release) = (
                Log<NetworkReachabilityStatus>(), DispatchSemaphore(value: 0)
            )
            let monitor = NetlinkMonitor(target: .general)
            space.perform {
                monitor.start { status in
                    said.add(status)
                    if said.all.count == 1 { _ = release.wait(timeout: .now() + patience) }
                }
            }
            #expect(await said.reaches(1))
            set("net/ipv4/conf/d0/ignore_routes_with_linkdown", to: "1")
            release.signal()
            #expect(await said.reaches(2))
            #expect(said.all == [.notReachable, .reachableViaWWAN])
            monitor.stop()
        }

        @Test func `a table that a rule selects comes before the main one`() async {
            build(wire)
            build(mobile.dropLast())
            let general = watch(NetworkReachabilityManager())
            await general.becomes(.reachableViaWiFi)
            space.ip(
                "route add default via 203.0.113.1 table 51820", "rule add table 51820")
            await general.becomes(.reachableViaWWAN)
            let far = watch(NetworkReachabilityManager(domain: "198.51.100.1"))
            await far.becomes(.reachableViaWWAN)
            space.ip("route add throw 198.51.100.0/24 table 51820")
            await far.becomes(.reachableViaWiFi)
        }

        @Test func `somebody can be reached over any interface with an address of its own`() async {
            let anybody = watch(
                NetworkReachabilityManager(target: .anyHost, center: NotificationCenter()) {
                    $0.monitor()
                })
            await anybody.becomes(.notReachable)
            build(["link set lo up", wire[0], wire[1], wire[3], "addr add 169.254.1.2/16 dev d0"])
            await watch(NetworkReachabilityManager(domain: "169.254.1.1"))
                .becomes(.reachableViaWiFi)
            #expect(anybody.said.all == [.notReachable])
            space.ip(wire[2])
            await anybody.becomes(.reachableViaWiFi)
            space.ip("link set d1 down")
            await anybody.becomes(.notReachable)
        }

        @Test func `another interface is reported, also with the same status`() async {
            build(wire)
            build(["link add e0 type veth peer name e1", "link set e1 up", "link set e0 up"])
            space.ip("addr add 203.0.113.2/24 dev e0")
            let general = watch(NetworkReachabilityManager())
            await general.becomes(.reachableViaWiFi)
            let count = general.said.all.count
            space.ip("route replace default via 203.0.113.1")
            #expect(await general.said.reaches(count + 1))
            #expect(general.said.all.last == .reachableViaWiFi)
        }

        @Test func `a mobile interface is told by its name`() async {
            build(wire.map { $0.replacingOccurrences(of: "d0", with: "wwan0") })
            await watch(NetworkReachabilityManager()).becomes(.reachableViaWWAN)
        }

        @Test func `the better route decides between WiFi and mobile`() async {
            build(wire)
            build(mobile)
            let general = watch(NetworkReachabilityManager())
            await general.becomes(.reachableViaWiFi)
            space.ip("link set d0 down")
            await general.becomes(.reachableViaWWAN)
        }

        @Test func `a route with two ways needs one of them`() async {
            build([
                "link add a0 type veth peer name b0",
                "addr add 192.0.2.2/24 dev a0", "link set a0 up",
                "addr add 203.0.113.2/24 dev b0", "link set b0 up",
                "route add default nexthop via 192.0.2.1 nexthop via 203.0.113.1",
            ])
            let general = watch(NetworkReachabilityManager())
            await general.becomes(.reachableViaWiFi)
            space.ip("route del 192.0.2.0/24", "addr flush dev a0")
            await watch(NetworkReachabilityManager()).becomes(.reachableViaWiFi)
            space.ip("link set b0 down")
            await general.becomes(.notReachable)
        }

        @Test(arguments: ["unreachable", "blackhole", "prohibit"])
        func `a route that refuses is none`(kind: String) async {
            build(wire)
            let far = watch(NetworkReachabilityManager(domain: "198.51.100.1"))
            await far.becomes(.reachableViaWiFi)
            space.ip("route add \(kind) 198.51.100.0/24")
            await far.becomes(.notReachable)
            await watch(NetworkReachabilityManager()).becomes(.reachableViaWiFi)
        }

        @Test func `what does not bear on the destination is not reported`() async {
            build(wire)
            let general = watch(NetworkReachabilityManager())
            await general.becomes(.reachableViaWiFi)
            let count = general.said.all.count
            build([
                "link add x0 type veth peer name x1", "link set x0 up",
                "addr add 203.0.113.9/24 dev x0",
                "route add 198.51.100.0/24 via 192.0.2.9", "addr add 192.0.2.3/24 dev d0",
            ])
            space.ip("route del default")
            await general.becomes(.notReachable)
            #expect(general.said.all.dropFirst(count) == [.notReachable])
        }

        @Test func `twenty flips end with the truth, and none comes after the stop`() async {
            build(wire)
            let general = watch(NetworkReachabilityManager())
            await general.becomes(.reachableViaWiFi)
            for _ in 0..<20 { space.ip("link set d0 down", "link set d0 up") }
            space.ip("route add default via 192.0.2.1")
            await general.becomes(.reachableViaWiFi)
            // The carrier comes a little later than the route, so the last word may be either.
            let (count, status) = await MainActor.run {
                general.manager.stopMonitoring()
                return (general.said.all.count, general.manager.status)
            }
            space.ip("link set d0 down")
            // A second watch has heard of it, so the first would have too.
            await watch(NetworkReachabilityManager()).becomes(.notReachable)
            #expect(general.said.all.count == count)
            #expect(general.manager.status == status)
        }

        /// The kernel drops what the monitor is too slow for; only the overflow then tells of it.
        @Test func `more news than fit make it look again`() async throws {
            build(quiet(wire))
            // The carrier comes a little later.
            await watch(NetworkReachabilityManager()).becomes(.reachableViaWiFi)
            let lines = (0..<4_000).map {
                "route add 10.\($0 / 256).\($0 % 256).0/24 via 192.0.2.9"
            }
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent(UUID().uuidString)
            try Data(lines.joined(separator: "\n").utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }

            let (reports, isLooking) = (Log<Bool>(), Signal())
            let (release, changed) = (DispatchSemaphore(value: 0), Signal())
            let monitor = NetlinkMonitor(target: .general)
            space.perform {
                monitor.start { status in
                    reports.add(status == .reachableViaWiFi)
                    guard reports.all.count == 1 else { return changed.fire() }
                    isLooking.fire()
                    _ = release.wait(timeout: .now() + patience)
                }
            }
            await isLooking.wait(for: 1, "the first report")
            space.ip("-batch \(file.path)", "route del default")
            release.signal()
            await changed.wait(for: 1, "the second report")
            #expect(reports.all == [true, false])
            monitor.stop()
        }

        @Test func `a hundred starts leave no socket open`() async {
            build(wire)
            let manager = NetworkReachabilityManager()
            let before = socketCount()
            for _ in 0..<100 { space.perform { manager.startMonitoring() } }
            #expect(socketCount() > before)
            manager.stopMonitoring()
            // They are closed on the monitors' own threads, soon.
            #expect(await waitUntil { socketCount() == before })
        }

        /// The number of an interface in the namespace; 0 where there is none.
        private func number(of interface: String) -> UInt32 {
            space.perform { if_nametoindex(interface) }
        }

        /// Sets a variable of the namespace's kernel.
        private func set(_ name: String, to value: String) {
            let result = space.perform {
                Result { try Data(value.utf8).write(to: URL(fileURLWithPath: "/proc/sys/\(name)")) }
            }
            #expect(throws: Never.self) { try result.get() }
        }

        /// Route sockets in the namespace.
        private func socketCount() -> Int {
            space.perform {
                let file = FileManager.default.contents(atPath: "/proc/thread-self/net/netlink")
                let lines = String(decoding: file ?? Data(), as: UTF8.self).split(separator: "\n")
                return lines.count { $0.split(separator: " ").dropFirst().first == "0" }
            }
        }
    }
#endif
