#if os(Linux)
    import CNetlink

    /// Bytes from the kernel, read without trust: what does not fit is not there.
    struct NetlinkBytes: Sendable {
        private let bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
        }

        var array: [UInt8] { [UInt8](bytes) }

        /// A value of the machine's own layout; nil when it would reach past the end.
        func load<Value: BitwiseCopyable>(
            _ type: Value.Type = Value.self, at offset: Int = 0
        ) -> Value? {
            guard offset >= 0, offset <= bytes.count - MemoryLayout<Value>.size else { return nil }
            return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
        }

        /// Text up to a zero byte or the end; ill-formed bytes are replaced.
        var text: String {
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }

        func dropFirst(_ count: Int) -> NetlinkBytes {
            NetlinkBytes(bytes.dropFirst(max(0, count)))
        }

        /// Cuts at the blocks' own lengths; ends at the first that is too short or too long.
        ///
        /// - Parameter size: tells a block's length with its head, from that head.
        func blocks(_ size: (NetlinkBytes) -> Int?, head: Int) -> [NetlinkBytes] {
            var found: [NetlinkBytes] = []
            var rest = bytes
            while let length = size(NetlinkBytes(rest)), length >= head, length <= rest.count {
                found.append(NetlinkBytes(rest.prefix(length)))
                // Blocks start at multiples of four, the last may end without its filling.
                rest = rest.dropFirst((length + 3) & ~3)
            }
            return found
        }

        /// The attributes, by number; of two with one number the later counts.
        var attributes: [Int: NetlinkBytes] {
            let head = MemoryLayout<rtattr>.size
            var found: [Int: NetlinkBytes] = [:]
            for block in blocks({ $0.load(rtattr.self).map { Int($0.rta_len) } }, head: head) {
                guard let attribute = block.load(rtattr.self) else { continue }
                // The two top bits say how the content is coded.
                found[Int(attribute.rta_type & 0x3FFF)] = block.dropFirst(head)
            }
            return found
        }
    }

    /// One message of a route socket.
    struct NetlinkMessage: Sendable {
        let header: nlmsghdr
        let content: NetlinkBytes

        /// All whole messages of a datagram.
        static func all(in datagram: ArraySlice<UInt8>) -> [NetlinkMessage] {
            let head = MemoryLayout<nlmsghdr>.size
            let blocks = NetlinkBytes(datagram).blocks(
                { $0.load(nlmsghdr.self).map { Int(clamping: $0.nlmsg_len) } }, head: head)
            return blocks.compactMap { block in
                block.load(nlmsghdr.self).map {
                    NetlinkMessage(header: $0, content: block.dropFirst(head))
                }
            }
        }
    }
#endif
