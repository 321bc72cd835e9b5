import CCurl
import TestSupport

@testable import CurlConnection

/// An exchange that refuses whatever libcurl asks, but for a look-up where the test says so.
private final class RefusingExchange: CurlExchange {
    private let looksUp: Bool

    init(looksUp: Bool = false) {
        self.looksUp = looksUp
    }

    func mayLookUp() -> Bool { looksUp }
    func connects() {}
    func givesUpSocket() {}
    func mayRequest(on ends: ConnectionEnds, from localAddress: String) -> Bool { false }
    func receiveHeader(_ line: UnsafeRawBufferPointer) -> Bool { false }
    func receive(_ bytes: UnsafeRawBufferPointer) -> CurlReception { .refuse }
    func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlSupply { .abort }
    func seek(to offset: Int64) -> Bool { false }
    func setUp(tls context: OpaquePointer) -> Bool { false }
    func ended(with result: CurlCode) {}
}

@Suite("libcurl's handles", .timeLimit(.minutes(5)))
struct CurlHandleTests {
    @Test func `an option that libcurl refuses is thrown with its number`() throws {
        let easy = try CurlEasyHandle()
        let error = #expect(throws: CurlError.self) {
            try easy.set(.protocols, to: "no-such-protocol")
        }
        #expect(error?.message.contains("\(CURLOPT_PROTOCOLS_STR.rawValue)") == true)
        #expect(throws: CurlError.self) { try easy.set(CURLOPT_SSLVERSION, to: 9_999) }
    }

    @Test func `a handle carries a pointer, a new one none`() throws {
        let easy = try CurlEasyHandle()
        var found: UnsafeMutableRawPointer?
        _ = ccurl_easy_get_pointer(easy.pointer, CURLINFO_PRIVATE, &found)
        #expect(found == nil)
        let context = Unmanaged.passUnretained(easy).toOpaque()
        try easy.set(CURLOPT_PRIVATE, to: context)
        _ = ccurl_easy_get_pointer(easy.pointer, CURLINFO_PRIVATE, &found)
        #expect(found == context)
    }

    @Test func `facts that are not there are zero`() throws {
        let easy = try CurlEasyHandle()
        #expect(easy.long(CURLINFO_RESPONSE_CODE) == 0)
        #expect(easy.offset(CURLINFO_SIZE_UPLOAD_T) == 0)
        #expect(easy.error(for: .partialFile).message == CurlCode.partialFile.text)
    }

    @Test func `a list keeps copies in their order`() throws {
        let list = CurlStringList()
        #expect(list.head == nil)
        for text in ["One: 1", "Two: 2"] { try list.append(text) }
        let first = try #require(list.head)
        let second = try #require(first.pointee.next)
        #expect(String(cString: first.pointee.data) == "One: 1")
        #expect(String(cString: second.pointee.data) == "Two: 2")
        #expect(second.pointee.next == nil)
    }

    @Test func `a handle can be added once, and what has not ended is not finished`() throws {
        let multi = try CurlMultiHandle(DescriptorSet())
        let easy = try CurlEasyHandle()
        try multi.add(easy)
        #expect(throws: CurlError.self) { try multi.add(easy) }
        #expect(multi.nextFinished() == nil)
        multi.remove(easy)
        multi.remove(easy)
        #expect(!multi.isInside)
        try multi.add(easy)
        multi.remove(easy)
    }

    @Test func `one that failed is told once, with its exchange and libcurl's words`() throws {
        let multi = try CurlMultiHandle(DescriptorSet())
        let easy = try CurlEasyHandle()
        let exchange = RefusingExchange()
        try easy.keepErrorText()
        try easy.setCallbacks(of: exchange, hasTLS: false, hasBody: false)
        try easy.set(.url, to: "gopher")
        try easy.set(.protocols, to: "https")
        try multi.add(easy)
        multi.actOnTimer()
        let finished = try #require(multi.nextFinished())
        #expect(finished.exchange === exchange)
        #expect(finished.result == .unsupportedProtocol)
        #expect(!easy.error(for: finished.result).message.isEmpty)
        #expect(multi.nextFinished() == nil)
        multi.remove(easy)
    }

    @Test func `a handle that is let go of before its multi handle leaves it by itself`() throws {
        let multi = try CurlMultiHandle(DescriptorSet())
        var easy: CurlEasyHandle? = try CurlEasyHandle()
        try easy.map { try multi.add($0) }
        easy = nil
        multi.actOnTimer()
        #expect(multi.nextFinished() == nil)
    }

    /// Begins to connect to a port of 127.0.0.77, and calls the body with the set before the exchange is removed.
    private func connect(
        to port: UInt16, _ body: (CurlMultiHandle, DescriptorSet) throws -> Void
    ) throws -> DescriptorSet {
        let set = try DescriptorSet()
        let multi = try CurlMultiHandle(set)
        let easy = try CurlEasyHandle()
        let exchange = RefusingExchange(looksUp: true)
        defer { withExtendedLifetime(exchange) {} }
        try easy.setCallbacks(of: exchange, hasTLS: false, hasBody: false)
        try easy.set(.url, to: "http://127.0.0.77:\(port)/")
        try multi.add(easy)
        multi.actOnTimer()
        try body(multi, set)
        multi.remove(easy)
        return set
    }

    @Test func `a socket by which nothing was connected is forgotten with its exchange`() throws {
        let port = try SilentListener().port
        let listener = try SwallowingListener("127.0.0.77", port: port)
        let set = try connect(to: port) { multi, set in
            #expect(multi.nextFinished() == nil)
            #expect(set.openConnections.count == 1)
        }
        #expect(set.openConnections.isEmpty)
        withExtendedLifetime(listener) {}
    }

    @Test func `a socket that was refused is forgotten with its exchange`() throws {
        let elsewhere = try SilentListener()
        let set = try connect(to: elsewhere.port) { multi, set in
            let end = ContinuousClock.now + .seconds(20)
            var result: CurlCode?
            while result == nil, ContinuousClock.now < end {
                _ = set.look { multi.act(on: $0, readable: $1, writable: $2, failed: $3) }
                multi.actOnTimer()
                result = multi.nextFinished()?.result
            }
            #expect(result == .couldntConnect)
        }
        #expect(set.openConnections.isEmpty)
        withExtendedLifetime(elsewhere) {}
    }
}
