#if os(Linux)
    import CLinux
    import Glibc

    /// A route socket, which requests lists from the kernel or receives changes.
    ///
    /// It belongs to the network namespace of the thread that opens it.
    ///
    /// ## Concurrency
    /// Call from: one thread at a time. Lock: none.
    final class NetlinkSocket {
        enum Received {
            case datagram(ArraySlice<UInt8>)
            case nothing
            /// The kernel had more messages than the socket's buffer holds.
            case overflow
            case failure
        }

        enum List: CaseIterable {
            case interfaces
            case addresses
            case routes

            fileprivate var request: Int {
                switch self {
                case .interfaces: RTM_GETLINK
                case .addresses: RTM_GETADDR
                case .routes: RTM_GETROUTE
                }
            }
        }

        let descriptor: Int32
        private var buffer = [UInt8](repeating: 0, count: 64 << 10)
        private var sequence: UInt32 = 0

        private init?(flags: Int32) {
            let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue) | flags
            descriptor = socket(AF_NETLINK, type, NETLINK_ROUTE)
            guard descriptor >= 0 else { return nil }
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
        }

        /// A socket for requests; it waits at most a second for the kernel's messages.
        static func forLists() -> NetlinkSocket? {
            guard let socket = NetlinkSocket(flags: 0) else { return nil }
            _ = clinux_limit_waiting(socket.descriptor, 1)
            return socket
        }

        /// A socket for changes; it never waits.
        static func forChanges() -> NetlinkSocket? {
            let flags = Int32(SOCK_NONBLOCK.rawValue)
            guard let socket = NetlinkSocket(flags: flags) else { return nil }
            let groups =
                RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE
                | RTMGRP_IPV6_ROUTE
            var address = sockaddr_nl()
            address.nl_family = sa_family_t(AF_NETLINK)
            address.nl_groups = UInt32(groups)
            let size = socklen_t(MemoryLayout<sockaddr_nl>.size)
            let isBound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket.descriptor, $0, size) == 0
                }
            }
            return isBound ? socket : nil
        }

        /// The kernel's next datagram; datagrams from other senders are skipped.
        func receive() -> Received {
            while true {
                var sender = sockaddr_nl()
                var size = socklen_t(MemoryLayout<sockaddr_nl>.size)
                let count = withUnsafeMutablePointer(to: &sender) {
                    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { sender in
                        // With MSG_TRUNC the result is the datagram's whole length, also of a part
                        // that did not fit.
                        recvfrom(
                            descriptor, &buffer, buffer.count, Int32(MSG_TRUNC), sender,
                            &size)
                    }
                }
                if count >= 0 {
                    guard sender.nl_pid == 0 else { continue }
                    return count <= buffer.count ? .datagram(buffer[..<count]) : .overflow
                }
                switch errno {
                case EINTR: continue
                case EAGAIN: return .nothing
                case ENOBUFS: return .overflow
                default: return .failure
                }
            }
        }

        enum Listing {
            case whole
            /// Something changed meanwhile, so entries may be missing or duplicate.
            case interrupted
            case failed
        }

        /// Requests a whole list and passes its entries on.
        func list(_ list: List, _ entry: (NetlinkMessage) -> Void) -> Listing {
            sequence &+= 1
            guard send(list.request) else { return .failed }
            var result = Listing.whole
            while case .datagram(let datagram) = receive() {
                for message in NetlinkMessage.all(in: datagram)
                where message.header.nlmsg_seq == sequence {
                    if Int32(message.header.nlmsg_flags) & NLM_F_DUMP_INTR != 0 {
                        result = .interrupted
                    }
                    switch Int32(message.header.nlmsg_type) {
                    case NLMSG_DONE:
                        let status = message.content.load(Int32.self) ?? 0
                        return status < 0 ? .failed : result
                    case NLMSG_ERROR: return .failed
                    default: entry(message)
                    }
                }
            }
            return .failed
        }

        private func send(_ request: Int) -> Bool {
            var head = nlmsghdr()
            // The family, 0 for all, and its padding.
            let content = [UInt8](repeating: 0, count: 4)
            head.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + content.count)
            head.nlmsg_type = UInt16(request)
            head.nlmsg_flags = UInt16(NLM_F_REQUEST | NLM_F_DUMP)
            head.nlmsg_seq = sequence
            let bytes = withUnsafeBytes(of: &head) { [UInt8]($0) } + content
            return Glibc.send(descriptor, bytes, bytes.count, 0) == bytes.count
        }
    }
#endif
