#if os(Linux)
    import CLinux
    import Glibc

    extension ReachabilityFacts {
        /// Adds what a message of a list says, if it concerns the target.
        mutating func add(_ message: NetlinkMessage, for target: ReachabilityTarget) {
            switch Int(message.header.nlmsg_type) {
            case RTM_NEWLINK:
                guard let (number, interface) = Interface.read(message.content) else { return }
                interfaces[number] = interface
            case RTM_NEWADDR:
                guard let source = Source(message.content) else { return }
                sources.insert(source)
            case RTM_NEWROUTE:
                guard let route = Route(message.content), route.leads(to: target) else { return }
                routes.insert(route)
            default:
                return
            }
        }
    }

    extension NetlinkSocket {
        /// Requests all lists, several times when they change meanwhile.
        ///
        /// - Returns: nil when a list cannot be had.
        func facts(for target: ReachabilityTarget) -> ReachabilityFacts? {
            var facts: ReachabilityFacts?
            for _ in 0..<5 {
                var found = ReachabilityFacts()
                let results = List.allCases.map { kind in
                    list(kind) { found.add($0, for: target) }
                }
                facts = results.contains(.failed) ? nil : found.pruned()
                if !results.contains(.interrupted) { break }
            }
            return facts
        }
    }

    extension NetlinkMessage {
        /// Whether the message reports a change that could matter to the target.
        func concerns(_ target: ReachabilityTarget) -> Bool {
            switch Int(header.nlmsg_type) {
            case RTM_NEWLINK, RTM_DELLINK, RTM_NEWADDR, RTM_DELADDR: true
            case RTM_NEWROUTE, RTM_DELROUTE:
                ReachabilityFacts.Route(content).map { $0.leads(to: target) } ?? false
            default: false
            }
        }
    }

    extension ReachabilityFacts.Interface {
        fileprivate static func read(_ content: NetlinkBytes) -> (Int, Self)? {
            guard let head = content.load(ifinfomsg.self), head.ifi_index > 0 else { return nil }
            let attributes = content.dropFirst(MemoryLayout<ifinfomsg>.size).attributes
            let flags = Int(head.ifi_flags)
            let interface = Self(
                name: attributes[IFLA_IFNAME]?.text ?? "", hardwareType: head.ifi_type,
                isUp: flags & Int(IFF_UP) != 0,
                isRunning: flags & Int(IFF_RUNNING) != 0,
                isLoopback: flags & Int(IFF_LOOPBACK) != 0)
            return (Int(head.ifi_index), interface)
        }
    }

    extension ReachabilityFacts.Source {
        /// Nil for an address that cannot be a packet's source yet, or ever.
        fileprivate init?(_ content: NetlinkBytes) {
            guard let head = content.load(ifaddrmsg.self),
                let family = NetworkAddress.Family(number: head.ifa_family)
            else { return nil }
            let attributes = content.dropFirst(MemoryLayout<ifaddrmsg>.size).attributes
            let flags = attributes[IFA_FLAGS]?.load(UInt32.self) ?? UInt32(head.ifa_flags)
            // An optimistic address may be used before its check has ended (RFC 4429).
            let isChecked =
                flags & UInt32(IFA_F_TENTATIVE) == 0 || flags & UInt32(IFA_F_OPTIMISTIC) != 0
            guard isChecked, flags & UInt32(IFA_F_DADFAILED) == 0 else { return nil }
            self.init(
                interface: Int(head.ifa_index), family: family,
                scope: ReachabilityFacts.Scope(rawValue: head.ifa_scope))
        }
    }

    extension ReachabilityFacts.Route {
        /// Nil for a route that the packets of a connection do not take.
        init?(_ content: NetlinkBytes) {
            guard let head = content.load(rtmsg.self),
                let family = NetworkAddress.Family(number: head.rtm_family),
                let kind = Kind(number: Int(head.rtm_type)),
                Int(head.rtm_dst_len) <= family.length * 8,
                head.rtm_flags & UInt32(RTM_F_CLONED) == 0,
                // Skips routes for certain senders or kinds of traffic only.
                head.rtm_src_len == 0, head.rtm_tos == 0
            else { return nil }
            let attributes = content.dropFirst(MemoryLayout<rtmsg>.size).attributes
            let number = { (name: rtattr_type_t) in
                attributes[Int(name.rawValue)]?.load(UInt32.self)
            }
            // The kernel may send only the leading bytes of a prefix.
            let sent = attributes[Int(RTA_DST.rawValue)]?.array.prefix(family.length) ?? []
            self.init(
                kind: kind, family: family,
                destination: sent + [UInt8](repeating: 0, count: family.length - sent.count),
                prefixLength: Int(head.rtm_dst_len),
                table: number(RTA_TABLE) ?? UInt32(head.rtm_table),
                metric: number(RTA_PRIORITY) ?? 0,
                scope: ReachabilityFacts.Scope(rawValue: head.rtm_scope), interfaces: [])
            if let only = number(RTA_OIF) {
                interfaces = [Int(only)]
            } else if let hops = attributes[Int(RTA_MULTIPATH.rawValue)] {
                let size = MemoryLayout<rtnexthop>.size
                interfaces = hops.blocks(
                    { $0.load(rtnexthop.self).map { Int($0.rtnh_len) } }, head: size
                ).compactMap { $0.load(rtnexthop.self).map { Int($0.rtnh_ifindex) } }
            }
        }
    }

    extension ReachabilityFacts.Route.Kind {
        fileprivate init?(number: Int) {
            switch number {
            case RTN_UNICAST, RTN_LOCAL, RTN_ANYCAST: self = .delivers
            case RTN_BLACKHOLE, RTN_UNREACHABLE, RTN_PROHIBIT: self = .refuses
            case RTN_THROW: self = .passes
            default: return nil
            }
        }
    }

    extension NetworkAddress.Family {
        fileprivate init?(number: UInt8) {
            switch Int32(number) {
            case AF_INET: self = .ipv4
            case AF_INET6: self = .ipv6
            default: return nil
            }
        }
    }
#endif
