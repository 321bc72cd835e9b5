import Foundation

/// A blocking TCP connection, read with a buffer.
///
/// ## Concurrency
/// Call from: the thread that serves it; `shut` from any. Lock: none.
final class Channel {
    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Connects to a port of 127.0.0.1; nil when nobody listens.
    convenience init?(port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard (Self.withLoopback(port) { connect(descriptor, $0, $1) }) == 0 else {
            close(descriptor)
            return nil
        }
        self.init(descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// A listening socket on 127.0.0.1 and its port.
    static func listen() -> (descriptor: Int32, port: UInt16)? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard (withLoopback(0) { bind(descriptor, $0, $1) }) == 0,
            Glibc.listen(descriptor, 64) == 0
        else { return nil }
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        return result == 0 ? (descriptor, UInt16(bigEndian: address.sin_port)) : nil
    }

    private static func withLoopback(
        _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// What has come, at least one byte; nil at the end.
    func some() -> [UInt8]? {
        if !buffer.isEmpty {
            defer { buffer = [] }
            return buffer
        }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    /// Exactly so many bytes; nil when the end comes first.
    func exactly(_ count: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            guard let more = some() else { return nil }
            bytes += more
        }
        buffer = Array(bytes[count...])
        return Array(bytes[..<count])
    }

    /// The bytes up to and with an end mark; nil when the end comes first.
    func upTo(_ mark: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        while let byte = exactly(1) {
            bytes += byte
            if bytes.suffix(mark.count).elementsEqual(mark) { return bytes }
        }
        return nil
    }

    /// - Returns: whether all went out.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Says that no more comes, and reads until the other side ends: closed with unread bytes, the system would
    /// send a reset, which may overtake what was sent.
    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
        while some() != nil {}
    }

    /// Passes bytes both ways until one side ends, then ends the other.
    func relay(to other: Channel) {
        let done = DispatchSemaphore(value: 0)
        let pair = Pair(one: self, other: other)
        let thread = Thread {
            pair.other.pass(to: pair.one)
            done.signal()
        }
        thread.start()
        pass(to: other)
        done.wait()
    }

    private func pass(to other: Channel) {
        while let bytes = some(), other.send(bytes) {}
        shutdown(descriptor, Int32(SHUT_RDWR))
        shutdown(other.descriptor, Int32(SHUT_RDWR))
    }

    private struct Pair: @unchecked Sendable {
        // @unchecked because each channel is read by one of the two threads and written by the
        // other.
        let one: Channel
        let other: Channel
    }
}
