#if os(Linux)
    import CLinux

    /// Bytes from the kernel, read without trust: a value that does not fit is missing.
    struct NetlinkBytes: Sendable {
        private let bytes: ArraySlice<UInt8>

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
        }

        var array: [UInt8] { [UInt8](bytes) }

        /// A value in the machine's own layout; nil when it would reach past the end.
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

        /// Splits at the blocks' own lengths, and ends at the first block that is too short or too
        /// long.
        ///
        /// - Parameter size: reads a block's length, head included, from its head.
        func blocks(_ size: (NetlinkBytes) -> Int?, head: Int) -> [NetlinkBytes] {
            var found: [NetlinkBytes] = []
            var rest = bytes
            while let length = size(NetlinkBytes(rest)), length >= head, length <= rest.count {
                found.append(NetlinkBytes(rest.prefix(length)))
                // Blocks start at multiples of four; the last one may lack its padding.
                rest = rest.dropFirst((length + 3) & ~3)
            }
            return found
        }

        /// The attributes by number; of two with the same number the later one counts.
        var attributes: [Int: NetlinkBytes] {
            let head = MemoryLayout<rtattr>.size
            var found: [Int: NetlinkBytes] = [:]
            for block in blocks({ $0.load(rtattr.self).map { Int($0.rta_len) } }, head: head) {
                guard let attribute = block.load(rtattr.self) else { continue }
                // The top two bits are flags about the encoding of the content.
                found[Int(attribute.rta_type & 0x3FFF)] = block.dropFirst(head)
            }
            return found
        }
    }

    /// One message of a route socket.
    struct NetlinkMessage: Sendable {
        let header: nlmsghdr
        let content: NetlinkBytes

        /// All complete messages of a datagram.
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
