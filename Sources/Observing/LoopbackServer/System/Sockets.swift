import Dispatch

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The system calls of the loop, the same on Linux and macOS.
enum Sockets {
    static let readable = Int16(POLLIN)
    static let writable = Int16(POLLOUT)
    #if os(Linux)
        /// The peer closed its sending side; Linux reports that separately from readable.
        static let hungUp: Int16 = 0x2000
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        static let hungUp = Int16(POLLHUP)
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #endif
    /// The peer has disconnected; `poll` always reports these events.
    static let lost = Int16(POLLERR) | Int16(POLLHUP) | Int16(POLLNVAL)

    /// A listening socket on a loopback address and its port; port 0 lets the kernel choose.
    static func listen(
        on host: String, port: UInt16
    ) throws(LoopbackServerError) -> (Int32, UInt16) {
        var number = in_addr()
        guard inet_pton(AF_INET, host, &number) == 1, UInt32(bigEndian: number.s_addr) >> 24 == 127
        else { throw .notLoopback(address: host) }
        let descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        var failed = true
        defer { if failed { close(descriptor) } }
        prepare(descriptor)
        option(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr = number
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        if bound != 0 {
            let code = errno
            throw code == EADDRINUSE
                ? .addressInUse(port: port) : .system(call: "bind", code: code)
        }
        guard Self.listen(descriptor) == 0 else {
            let code = errno
            throw code == EADDRINUSE
                ? .addressInUse(port: port) : .system(call: "listen", code: code)
        }
        _ = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(descriptor, $0, &size)
            }
        }
        failed = false
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }

    static func listen(at path: String) throws(LoopbackServerError) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else { throw .system(call: "bind", code: ENAMETOOLONG) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, stream, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        prepare(descriptor)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        if bound == 0, listen(descriptor) == 0 { return descriptor }
        let code = errno
        close(descriptor)
        throw .system(call: bound == 0 ? "listen" : "bind", code: code)
    }

    private static func listen(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            Darwin.listen(descriptor, 4_096)
        #else
            Glibc.listen(descriptor, 4_096)
        #endif
    }

    /// A pipe whose ends do not block.
    static func makePipe() throws(LoopbackServerError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw .system(call: "pipe", code: errno) }
        prepare(ends[0])
        prepare(ends[1])
        return (ends[0], ends[1])
    }

    /// The next waiting connection; `.ended` when the process has no descriptor left.
    static func acceptOne(_ listener: Int32) -> Transfer {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else {
            let code = errno
            let exhausted = [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code)
            if exhausted { return .ended }
            return code == EINTR || code == ECONNABORTED ? acceptOne(listener) : .blocked
        }
        prepare(descriptor)
        option(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        #if canImport(Darwin)
            option(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
        return .moved(Int(descriptor))
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        outcome(repeating: {
            #if canImport(Darwin)
                Darwin.send(descriptor, bytes.baseAddress, bytes.count, noSignal)
            #else
                Glibc.send(descriptor, bytes.baseAddress, bytes.count, noSignal)
            #endif
        })
    }

    /// `.ended` both at the end of the stream and after an error.
    static func receive(_ descriptor: Int32, _ room: UnsafeMutableRawBufferPointer) -> Transfer {
        let result = outcome(repeating: { recv(descriptor, room.baseAddress, room.count, 0) })
        if case .moved(0) = result { return .ended }
        return result
    }

    /// Closes so that the peer sees a reset.
    static func reset(_ descriptor: Int32) {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_LINGER, &linger,
            socklen_t(MemoryLayout.size(ofValue: linger)))
        close(descriptor)
    }

    /// Sends FIN and keeps the receiving side.
    static func endSending(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Makes the kernel's receive buffer small, so that a slow reader slows its peer.
    static func shrinkReceiveBuffer(_ descriptor: Int32) {
        option(descriptor, SOL_SOCKET, SO_RCVBUF, 16_384)
    }

    static func closeDescriptor(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    /// Wakes the loop. A full pipe means that it has already been woken.
    static func wake(_ pipeEnd: Int32) {
        var byte: UInt8 = 1
        _ = write(pipeEnd, &byte, 1)
    }

    static func drain(_ pipeEnd: Int32, _ scratch: UnsafeMutableRawBufferPointer) {
        while read(pipeEnd, scratch.baseAddress, scratch.count) > 0 {}
    }

    /// Nanoseconds of the monotonic clock.
    static func now() -> UInt64 {
        DispatchTime.now().uptimeNanoseconds
    }

    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    private static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func outcome(repeating call: () -> Int) -> Transfer {
        while true {
            let count = call()
            if count >= 0 { return .moved(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .blocked : .ended
        }
    }
}

/// The outcome of one attempt to move bytes through a descriptor.
enum Transfer {
    case moved(Int)
    case blocked
    case ended
}
