import Foundation

extension Stage {
    /// A URL that refuses connections: its port is bound, and no socket listens on it.
    ///
    /// - Throws: `POSIXError` when there is no port.
    func refusingURL() throws -> URL {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(O_CLOEXEC), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) + getsockname(socket, $0, &length)
            }
        }
        guard socket >= 0, code == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let port = UInt16(bigEndian: address.sin_port)
        return URL(string: "http://127.0.0.1:\(port)/") ?? baseURL
    }
}
