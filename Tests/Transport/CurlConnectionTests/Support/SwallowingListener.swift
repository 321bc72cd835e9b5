import Foundation

/// A port at which the kernel drops who wants to connect, as a host does that is switched off: its queue is
/// full, and nobody accepts.
final class SwallowingListener: Sendable {
    /// Whether this machine has the address ::1.
    static let hasIPv6 = (try? SwallowingListener("::1", port: 0)) != nil

    private let descriptors: [Int32]

    /// - Throws: where the system has no such address, or the port is another's.
    init(_ host: String, port: UInt16) throws {
        var hints = addrinfo()
        hints.ai_socktype = 1
        hints.ai_flags = AI_NUMERICHOST
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found?.pointee
        else { throw POSIXError(.EADDRNOTAVAIL) }
        defer { freeaddrinfo(found) }
        let flags = Int32(O_CLOEXEC) | Int32(O_NONBLOCK)
        let listener = socket(address.ai_family, 1 | flags, 0)
        var opened = [listener]
        guard bind(listener, address.ai_addr, address.ai_addrlen) == 0, listen(listener, 0) == 0
        else {
            close(listener)
            throw POSIXError(.EADDRNOTAVAIL)
        }
        // One fills the queue; the others' are in vain.
        for _ in 0..<3 where port > 0 {
            let client = socket(address.ai_family, 1 | flags, 0)
            _ = connect(client, address.ai_addr, address.ai_addrlen)
            opened.append(client)
        }
        descriptors = opened
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }
}
