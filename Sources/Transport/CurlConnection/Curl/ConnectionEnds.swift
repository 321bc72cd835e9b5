import Foundation

/// The two ends of a connection, by which libcurl names it.
struct ConnectionEnds: Hashable {
    var localPort: Int32
    var remotePort: Int32
    /// As a number, without a scope, as libcurl writes it.
    var remoteAddress: String

    /// Nearly all of a process's connections differ in the local port.
    func hash(into hasher: inout Hasher) {
        hasher.combine(localPort)
    }

    /// - Returns: nil where the socket is not connected.
    init?(of socket: Int32) {
        guard let localPort = Self.port(socket, getsockname),
            let remotePort = Self.port(socket, getpeername),
            let address = Self.peerAddress(of: socket)
        else { return nil }
        self.init(localPort: localPort, remotePort: remotePort, remoteAddress: address)
    }

    init(localPort: Int32, remotePort: Int32, remoteAddress: String) {
        self.localPort = localPort
        self.remotePort = remotePort
        self.remoteAddress = remoteAddress
    }

    private typealias NameOf = (
        Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?
    ) -> Int32

    private static func name(_ socket: Int32, _ ask: NameOf) -> (sockaddr_storage, socklen_t)? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutableBytes(of: &storage) {
            ask(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        return result == 0 ? (storage, size) : nil
    }

    /// The port has the same offset in the addresses of both families.
    private static func port(_ socket: Int32, _ ask: NameOf) -> Int32? {
        guard let (storage, _) = name(socket, ask),
            [AF_INET, AF_INET6].contains(Int32(storage.ss_family))
        else { return nil }
        return withUnsafeBytes(of: storage) {
            Int32(UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)))
        }
    }

    private static func peerAddress(of socket: Int32) -> String? {
        guard let named = name(socket, getpeername) else { return nil }
        var storage = named.0
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let result = withUnsafeMutableBytes(of: &storage) {
            getnameinfo(
                $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), named.1, &text,
                socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        }
        guard result == 0 else { return nil }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        // libcurl leaves an address's scope out.
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "%") }, as: UTF8.self)
    }
}
