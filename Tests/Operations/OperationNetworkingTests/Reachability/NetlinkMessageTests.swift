import TestSupport

@testable import OperationNetworking

#if os(Linux)
    /// The kernel's messages, whole, cut short and made up.
    @Suite("Route messages", .timeLimit(.minutes(5)))
    struct NetlinkMessageTests {
        private func words<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
            withUnsafeBytes(of: value) { [UInt8]($0) }
        }

        private func padded(_ bytes: [UInt8]) -> [UInt8] {
            bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4)
        }

        private func attribute(_ number: UInt16, _ content: [UInt8]) -> [UInt8] {
            padded(words(UInt16(content.count + 4)) + words(number) + content)
        }

        private func message(_ type: UInt16, _ content: [UInt8]...) -> [UInt8] {
            let content = Array(content.joined())
            return words(UInt32(content.count + 16)) + words(type) + words(UInt16(2))
                + words(UInt32(7)) + words(UInt32(0)) + content
        }

        /// Interface 5: up, broadcast, running.
        private var link: [UInt8] {
            message(
                16, [0, 0], words(UInt16(1)), words(Int32(5)), words(UInt32(0x43)),
                words(UInt32(0)), attribute(3, Array("wwan0\0".utf8)))
        }

        private func address(flags: UInt8 = 0x80, more: UInt32? = nil) -> [UInt8] {
            message(
                20, [2, 24, flags, 0], words(UInt32(5)), attribute(1, [192, 0, 2, 2]),
                more.map { attribute(8, words($0)) } ?? [])
        }

        private func route(
            family: UInt8 = 2, length: UInt8 = 0, type: UInt8 = 1, flags: UInt32 = 0,
            _ attributes: [UInt8]...
        ) -> [UInt8] {
            message(
                24, [family, length, 0, 0, 254, 3, 0, type], words(flags),
                Array(attributes.joined()))
        }

        private func facts(
            _ datagram: [UInt8], for target: ReachabilityTarget = .general
        ) -> ReachabilityFacts {
            var facts = ReachabilityFacts()
            for message in NetlinkMessage.all(in: datagram[...]) { facts.add(message, for: target) }
            return facts
        }

        @Test func `an interface, an address and a route are read`() {
            let datagram =
                link + address()
                + route(attribute(4, words(UInt32(5))), attribute(6, words(UInt32(50))))
            let facts = facts(datagram)
            #expect(facts.interfaces == [5: .init(name: "wwan0")])
            #expect(facts.sources == [.init(interface: 5, family: .ipv4, scope: .universe)])
            #expect(facts.routes == [.default(over: 5, metric: 50)])
            #expect(facts.status(for: .general) == .reachableViaWWAN)
        }

        @Test func `tables beyond 255, prefixes and multipath are read`() throws {
            let hop = words(UInt16(8)) + [0, 0]
            let hops = hop + words(Int32(3)) + hop + words(Int32(4))
            let long = route(
                length: 24, attribute(1, [198, 51, 100, 0]), attribute(15, words(UInt32(51820))),
                attribute(9, hops))
            let target = try #require(ReachabilityTarget(domain: "198.51.100.9"))
            let route = try #require(facts(long, for: target).routes.first)
            #expect(route.interfaces == [3, 4] && route.table == 51820)
            #expect(route.prefixLength == 24 && route.destination == [198, 51, 100, 0])
            #expect(facts(long).routes.isEmpty)
        }

        @Test func `an address counts once it is checked`() {
            #expect(facts(address(flags: 0x40)).sources.isEmpty)
            #expect(facts(address(flags: 0x08)).sources.isEmpty)
            #expect(facts(address(flags: 0x44)).sources.count == 1)
            #expect(facts(address(flags: 0x40, more: 0x200)).sources.count == 1)
            #expect(facts(address(flags: 0, more: 0x40)).sources.isEmpty)
        }

        @Test(
            arguments: [
                (1, .delivers), (2, .delivers), (4, .delivers), (6, .refuses), (7, .refuses),
                (8, .refuses), (9, .passes), (3, nil), (5, nil), (0, nil), (10, nil), (255, nil),
            ] as [(UInt8, ReachabilityFacts.Route.Kind?)])
        func `kinds of routes`(type: UInt8, kind: ReachabilityFacts.Route.Kind?) {
            #expect(facts(route(type: type)).routes.first?.kind == kind)
        }

        @Test func `what no connection uses is passed over`() {
            #expect(facts(route(flags: 0x200)).routes.isEmpty)
            #expect(facts(route(family: 28)).routes.isEmpty)
            #expect(facts(route(length: 33)).routes.isEmpty)
            #expect(facts(message(99, [1, 2, 3, 4])) == ReachabilityFacts())
        }

        @Test func `which news bear on a destination`() throws {
            let near = try #require(ReachabilityTarget(domain: "192.0.2.9"))
            let routed = route(length: 24, attribute(1, [192, 0, 2, 0]))
            let bears = { (datagram: [UInt8], target: ReachabilityTarget) in
                NetlinkMessage.all(in: datagram[...]).contains { $0.concerns(target) }
            }
            #expect(bears(link, near) && bears(address(), near) && bears(routed, near))
            #expect(!bears(routed, .general) && bears(route(), .general))
            #expect(!bears(message(28, [UInt8](repeating: 0, count: 12)), .general))
        }

        @Test func `a datagram cut anywhere gives the messages before the cut`() {
            let parts = [link, address(), route(attribute(4, words(UInt32(5))))]
            let whole = Array(parts.joined())
            let ends = parts.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
            for length in 0...whole.count {
                let found = NetlinkMessage.all(in: whole.prefix(length))
                #expect(found.count == ends.dropFirst().filter { $0 <= length }.count)
            }
        }

        @Test func `lengths that lie end the reading`() {
            for length in [0, 1, 15, 0x7FFF_FFFF, 0xFFFF_FFFF] as [UInt32] {
                let bad = words(length) + link.dropFirst(4)
                #expect(NetlinkMessage.all(in: (bad + link)[...]).isEmpty)
            }
            for length in [0, 3, 0xFFFF] as [UInt16] {
                let bad = words(length) + words(UInt16(4)) + words(UInt32(5))
                #expect(facts(route(bad)).routes.first?.interfaces == [])
            }
        }

        @Test(arguments: [1, 2, 3, 4] as [UInt64])
        func `made-up bytes do no harm`(seed: UInt64) throws {
            var random = SeededNumbers(seed: seed)
            let target = try #require(ReachabilityTarget(domain: "192.0.2.9"))
            let hop = words(UInt16(8)) + [0, 0] + words(Int32(3))
            let whole =
                link + address(more: 0x80)
                + route(length: 24, attribute(1, [192, 0, 2, 0]), attribute(9, hop + hop))
            for _ in 0..<5_000 {
                var bytes = whole
                for _ in 0...Int.random(in: 0..<6, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
                let cut = Int.random(in: 0...bytes.count, using: &random)
                let facts = facts(Array(bytes.suffix(cut)))
                _ = facts.pruned().status(for: target)
                let noise = (0..<cut).map { _ in UInt8.random(in: 0...255, using: &random) }
                // A slice that does not begin at zero, as a buffer's middle would be.
                for message in NetlinkMessage.all(in: noise.dropFirst(cut / 3)) {
                    _ = message.concerns(target)
                }
            }
        }
    }
#endif
