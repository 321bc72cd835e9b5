import ProcessUse
import TLSPeer
import TestSupport

@testable import CurlConnection

@Suite("Calls of libcurl's that a peer keeps busy", .timeLimit(.minutes(1)))
struct CallWatchTests {
    /// What follows each read of one call.
    enum Work: CaseIterable {
        case callbacks, own, ownBesideCallbacks

        func done(in watch: CallWatch) {
            switch self {
            case .callbacks: watch.whileCallingBack { Self.someWork() }
            case .own: Self.someWork()
            case .ownBesideCallbacks:
                watch.whileCallingBack {}
                Self.someWork()
            }
        }

        /// Ten milliseconds on this thread.
        private static func someWork() {
            let end = ProcessorTime.ofThisThread + 10_000_000
            while ProcessorTime.ofThisThread < end {}
        }
    }

    @Test(arguments: Work.allCases)
    func `what callbacks do is not the peer's doing, and what libcurl does is`(work: Work) throws {
        let server = try RawServer { peer in
            for _ in 0..<20 { guard peer.write("a"), peer.read() != nil else { return } }
        }
        defer { server.stop() }
        let socket = try connect(to: server.port)
        defer { close(socket) }
        let watch = CallWatch()
        defer { watch.end() }
        watch.opened(socket)
        watch.enter()
        for _ in 0..<12 {
            var byte: UInt8 = 0
            // After the connection is cut there is nothing to read.
            if read(socket, &byte, 1) == 1 { _ = write(socket, &byte, 1) }
            work.done(in: watch)
            _ = watch.look()
        }
        watch.closes(socket)
        #expect(watch.leave() == (work == .callbacks ? [] : [socket]))
    }

    /// libcurl closes a socket by which nothing was connected without a call.
    @Test func `a number that is another's by now is not cut`() throws {
        let server = try RawServer { peer in
            for _ in 0..<20 { guard peer.write("a"), peer.read() != nil else { return } }
        }
        defer { server.stop() }
        let socket = try connect(to: server.port)
        defer { close(socket) }
        let watch = CallWatch()
        defer { watch.end() }
        watch.opened(socket)
        let other = try connect(to: server.port)
        defer { close(other) }
        dup2(other, socket)
        watch.enter()
        var count = 0
        for _ in 0..<12 {
            var byte: UInt8 = 0
            if read(socket, &byte, 1) == 1, write(socket, &byte, 1) == 1 { count += 1 }
            Work.own.done(in: watch)
            _ = watch.look()
        }
        #expect(watch.leave() == [])
        #expect(count == 12)
    }

    private func connect(to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        return descriptor
    }
}
