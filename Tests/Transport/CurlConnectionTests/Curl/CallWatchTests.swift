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
        let socket = try connectedSocket(to: server.port)
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
        let socket = try connectedSocket(to: server.port)
        defer { close(socket) }
        let watch = CallWatch()
        defer { watch.end() }
        watch.opened(socket)
        let other = try connectedSocket(to: server.port)
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
}
