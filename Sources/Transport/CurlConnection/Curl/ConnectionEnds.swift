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
        guard let local = Self.end(of: socket, getsockname),
            let remote = Self.end(of: socket, getpeername)
        else { return nil }
        self.init(
            localPort: local.port, remotePort: remote.port, remoteAddress: remote.address)
    }

    init(localPort: Int32, remotePort: Int32, remoteAddress: String) {
        self.localPort = localPort
        self.remotePort = remotePort
        self.remoteAddress = remoteAddress
    }

    private typealias NameOf = (
        Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?
    ) -> Int32

    private static func end(of socket: Int32, _ name: NameOf) -> (address: String, port: Int32)? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var address = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let isKnown = withUnsafeMutableBytes(of: &storage) {
            let raw = $0.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return name(socket, raw, &size) == 0
                && getnameinfo(
                    raw, size, &address, socklen_t(address.count), &port, socklen_t(port.count),
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0
        }
        // A Unix socket has a path in place of the port.
        guard isKnown, let number = Int32(text(port)) else { return nil }
        // libcurl leaves an address's scope out.
        return (String(text(address).prefix { $0 != "%" }), number)
    }

    private static func text(_ buffer: [CChar]) -> String {
        String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
