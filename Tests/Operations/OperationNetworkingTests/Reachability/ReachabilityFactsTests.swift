import TestSupport

@testable import OperationNetworking

/// The table from interfaces, addresses and routes to the four statuses.
@Suite("From the kernel's facts to a status", .timeLimit(.minutes(5)))
struct ReachabilityFactsTests {
    private typealias Facts = ReachabilityFacts
    private typealias Route = ReachabilityFacts.Route
    private typealias Source = ReachabilityFacts.Source

    private static let families: [NetworkAddress.Family] = [.ipv4, .ipv6]

    /// Interface 1 is the loopback, 2 and 3 are wired, 9 is mobile; all have every address.
    private func facts(_ routes: Route...) -> Facts {
        var facts = Facts()
        facts.interfaces = [
            1: .init(name: "lo", hardwareType: 772, isLoopback: true), 2: .init(name: "eth0"),
            3: .init(name: "eth1"), 9: .init(name: "wwan0"),
        ]
        for number in facts.interfaces.keys {
            for family in Self.families {
                let scope: Facts.Scope = number == 1 ? .host : .universe
                facts.sources.insert(Source(interface: number, family: family, scope: scope))
            }
        }
        facts.routes = Set(routes)
        return facts
    }

    private func target(_ address: String) throws -> ReachabilityTarget {
        ReachabilityTarget(try #require(NetworkAddress(literal: address)))
    }

    private func route(
        _ prefix: String, _ length: Int, over interfaces: Int..., kind: Route.Kind = .delivers,
        table: UInt32 = 254, metric: UInt32 = 0, scope: Facts.Scope = .universe
    ) throws -> Route {
        let address = try #require(NetworkAddress(literal: prefix))
        return Route(
            kind: kind, family: address.family, destination: address.bytes, prefixLength: length,
            table: table, metric: metric, scope: scope, interfaces: interfaces)
    }

    /// All combinations of one route, one interface and one address: 864 of them.
    @Test func `one default route: every combination`() {
        var count = 0
        for family in Self.families {
            for kind in [Route.Kind.delivers, .refuses, .passes] {
                for (isUp, isRunning, name) in [
                    (true, true, "eth0"), (true, false, "eth0"), (false, false, "eth0"),
                    (true, true, "wwan0"), (true, false, "wwan0"), (false, false, "wwan0"),
                ] {
                    for sourceFamily in Self.families {
                        for scope in [0, 200, 253, 254] as [UInt8] {
                            for owner in [1, 2, 3] {
                                var facts = Facts()
                                facts.interfaces = [
                                    1: .init(name: "lo", isLoopback: true),
                                    2: .init(name: name, isUp: isUp, isRunning: isRunning),
                                    3: .init(name: "eth1"),
                                ]
                                facts.sources = [
                                    Source(
                                        interface: owner, family: sourceFamily,
                                        scope: .init(rawValue: scope))
                                ]
                                facts.routes = [.default(family, over: 2, kind: kind)]
                                let isThere =
                                    kind == .delivers && isUp && isRunning
                                    && family == sourceFamily && scope == 0 && owner != 3
                                let way: NetworkReachabilityStatus =
                                    name == "eth0" ? .reachableViaWiFi : .reachableViaWWAN
                                let status = facts.status(for: .general)
                                #expect(status == (isThere ? way : .notReachable))
                                count += 1
                            }
                        }
                    }
                }
            }
        }
        #expect(count == 864)
    }

    @Test func `no facts: not reachable, whatever the destination`() throws {
        for domain in ["example.org", "localhost", "192.0.2.1", "2001:db8::1", "fe80::1"] {
            let target = try #require(ReachabilityTarget(domain: domain))
            #expect(Facts().status(for: target) == .notReachable)
        }
    }

    @Test(
        arguments: [
            ("wwan0", 1, true), ("wwp0s20u4", 1, true), ("ppp0", 1, true), ("rmnet_data0", 1, true),
            ("tun3", 512, true), ("usb0", 519, true), ("eth0", 1, false), ("wlan0", 1, false),
            ("wlp3s0", 1, false), ("lo", 772, false), ("tun0", 65534, false), ("", 1, false),
            ("xwwan0", 1, false),
        ] as [(String, UInt16, Bool)])
    func `mobile networks are told by name or type`(name: String, type: UInt16, isWWAN: Bool) {
        #expect(Facts.Interface(name: name, hardwareType: type).isWWAN == isWWAN)
    }

    @Test func `IPv4 is asked first, IPv6 when that leads nowhere`() {
        let both = facts(.default(.ipv4, over: 9), .default(.ipv6, over: 2))
        #expect(both.status(for: .general) == .reachableViaWWAN)
        let one = facts(.default(.ipv4, over: 9, kind: .refuses), .default(.ipv6, over: 2))
        #expect(one.status(for: .general) == .reachableViaWiFi)
    }

    @Test func `the smallest metric wins, and of equals WiFi is named`() {
        let better = facts(.default(over: 2, metric: 600), .default(over: 9, metric: 50))
        #expect(better.status(for: .general) == .reachableViaWWAN)
        let equal = facts(.default(over: 2), .default(over: 9))
        #expect(equal.status(for: .general) == .reachableViaWiFi)
        let hops = facts(.default(over: 9, 3))
        #expect(hops.status(for: .general) == .reachableViaWiFi)
    }

    @Test func `the longest prefix wins over any metric`() throws {
        let facts = facts(
            .default(over: 2), try route("198.51.100.0", 24, over: 9, metric: 900),
            try route("198.51.100.128", 25, kind: .refuses, metric: 9_000))
        #expect(facts.status(for: try target("198.51.101.1")) == .reachableViaWiFi)
        #expect(facts.status(for: try target("198.51.100.1")) == .reachableViaWWAN)
        #expect(facts.status(for: try target("198.51.100.200")) == .notReachable)
        #expect(facts.status(for: .general) == .reachableViaWiFi)
        #expect(facts.status(for: try target("2001:db8::1")) == .notReachable)
    }

    @Test func `tables are asked in order: local, main, default, then others`() {
        let order: [UInt32] = [255, 254, 253, 7, 51820]
        for (index, first) in order.enumerated() {
            for second in order[(index + 1)...] {
                let facts = facts(
                    .default(over: 9, metric: 9, table: first), .default(over: 2, table: second))
                #expect(facts.status(for: .general) == .reachableViaWWAN, "\(first) \(second)")
            }
        }
    }

    @Test func `a throw route leads to the next table, a refusal does not`() throws {
        let away = try route("198.51.100.0", 24, kind: .passes)
        let next = try route("198.51.100.0", 24, over: 9, table: 300)
        let far = try target("198.51.100.1")
        #expect(facts(.default(over: 2), away, next).status(for: far) == .reachableViaWWAN)
        #expect(facts(.default(over: 2), away).status(for: far) == .notReachable)
        let refused = facts(.default(over: 2, kind: .refuses), .default(over: 2, table: 300))
        #expect(refused.status(for: .general) == .notReachable)
    }

    @Test func `a route over what is off is passed over, one without a carrier is not`() {
        var facts = facts(.default(over: 2), .default(over: 9, metric: 600))
        facts.interfaces[2]?.isRunning = false
        #expect(facts.status(for: .general) == .notReachable)
        facts.interfaces[2]?.isUp = false
        #expect(facts.status(for: .general) == .reachableViaWWAN)
        facts.interfaces[2] = nil
        #expect(facts.status(for: .general) == .reachableViaWWAN)
    }

    @Test func `localhost needs its route and a loopback interface that is on`() throws {
        let target = try #require(ReachabilityTarget(domain: "localhost"))
        let host = Facts.Scope.host
        let route4 = try route("127.0.0.0", 8, over: 1, table: 255, scope: host)
        #expect(facts(route4).status(for: target) == .reachableViaWiFi)
        let route6 = try route("::1", 128, over: 1, table: 255)
        #expect(facts(route6).status(for: target) == .reachableViaWiFi)
        var off = facts(route4, route6)
        off.interfaces[1]?.isUp = false
        #expect(off.status(for: target) == .notReachable)
        #expect(facts(route4, route6).status(for: .general) == .notReachable)
    }

    @Test func `a neighbour needs an address of link scope only, the world a global one`() throws {
        var facts = facts(
            try route("192.0.2.0", 24, over: 2, scope: .link), .default(over: 2))
        facts.sources = [Source(interface: 2, family: .ipv4, scope: .link)]
        #expect(facts.status(for: try target("192.0.2.9")) == .reachableViaWiFi)
        #expect(facts.status(for: try target("198.51.100.1")) == .notReachable)
        #expect(facts.status(for: .general) == .notReachable)
    }

    @Test func `a link-local IPv6 address keeps to its interface`() throws {
        var facts = facts(
            try route("fe80::", 64, over: 2), try route("fe80::", 64, over: 9, metric: 1))
        facts.sources = [
            Source(interface: 2, family: .ipv6, scope: .link),
            Source(interface: 9, family: .ipv6, scope: .link),
        ]
        #expect(facts.status(for: try target("fe80::5%2")) == .reachableViaWiFi)
        #expect(facts.status(for: try target("fe80::5%9")) == .reachableViaWWAN)
        #expect(facts.status(for: try target("fe80::5%3")) == .notReachable)
        #expect(facts.status(for: try target("fe80::5")) == .reachableViaWiFi)
        // The loopback's own link-local address is not lent.
        facts.sources = [Source(interface: 1, family: .ipv6, scope: .link)]
        #expect(facts.status(for: try target("fe80::5%2")) == .notReachable)
    }

    @Test func `another machine is reached over any route but those that lead to none`() throws {
        let host = Facts.Scope.host
        let near = try facts(
            route("127.0.0.0", 8, over: 1, table: 255, scope: host),
            route("10.1.2.3", 32, over: 2, table: 255, scope: host),
            route("10.9.0.0", 16, over: 1), route("169.254.0.0", 16, over: 2, scope: .link),
            route("224.0.0.0", 4, over: 2), route("::1", 128, over: 1),
            route("fe80::", 64, over: 2),
            route("ff00::", 8, over: 2, table: 255), route("ff02::", 16, over: 2),
            route("10.8.0.0", 16, over: 2, kind: .refuses))
        #expect(near.status(for: .anybody) == .notReachable)
        for (prefix, length) in [
            ("10.0.0.0", 8), ("0.0.0.0", 0), ("fd00::", 8), ("2001:db8::", 64), ("::", 0),
        ] {
            var facts = near
            facts.routes.insert(try route(prefix, length, over: 2))
            #expect(facts.status(for: .anybody) == .reachableViaWiFi)
            facts.interfaces[2]?.isRunning = false
            #expect(facts.status(for: .anybody) == .notReachable)
            facts.routes.insert(try route("10.0.0.0", 8, over: 9))
            #expect(facts.status(for: .anybody) == .reachableViaWWAN)
        }
    }

    @Test func `pruning drops what cannot matter, and never changes the status`() throws {
        let facts = facts(.default(over: 2))
        let pruned = facts.pruned()
        #expect(Set(pruned.interfaces.keys) == [1, 2])
        #expect(pruned.sources.allSatisfy { $0.family == .ipv4 } && pruned.sources.count == 2)
        #expect(pruned.status(for: .general) == facts.status(for: .general))
        var other = facts
        other.interfaces[3]?.isUp = false
        other.sources.insert(Source(interface: 3, family: .ipv4, scope: .link))
        #expect(other.pruned() == pruned)
    }
}
