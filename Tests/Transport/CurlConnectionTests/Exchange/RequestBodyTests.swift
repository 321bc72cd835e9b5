import TestSupport

@testable import CurlConnection

extension RequestBody {
    /// The next portion, also of a file, whose bytes come from another thread.
    fileprivate func next(into buffer: UnsafeMutableRawBufferPointer) -> Portion {
        let hasNews = DispatchSemaphore(value: 0)
        whenReady { hasNews.signal() }
        while true {
            let portion = read(into: buffer)
            guard case .dry = portion, isReadElsewhere else { return portion }
            guard hasNews.wait(timeout: .now() + 10) == .success else { return portion }
        }
    }
}

@Suite("Bytes to send", .timeLimit(.minutes(5)))
struct RequestBodyTests {
    private static let bytes = GeneratedBytes.bytes(seed: 7, range: 0..<10_000)

    /// What reading to the end, or to the first stop, gives.
    private struct Reading {
        var data = Data()
        var ended = false
        var dry = false
        var error: (any Error)?

        init(_ body: RequestBody, room: Int = 999) {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
            defer { buffer.deallocate() }
            while true {
                switch body.next(into: buffer) {
                case .bytes(let count): data.append(contentsOf: buffer[..<count])
                case .end: ended = true
                case .dry: dry = true
                case .failed(let error): self.error = error
                }
                if ended || dry || error != nil { return }
            }
        }
    }

    private func sources() throws -> (file: TemporaryFile, bodies: [(String, RequestBody)]) {
        let file = try TemporaryFile(Self.bytes)
        let stream = try #require(InputStream(fileAtPath: file.path))
        let known = try #require(InputStream(fileAtPath: file.path))
        let slice = (Data([1, 2, 3]) + Self.bytes)[3...]
        return (
            file,
            [
                ("data", RequestBody(Self.bytes)), ("slice", RequestBody(slice)),
                ("file", RequestBody(stream, length: nil)),
                ("file of known length", RequestBody(known, length: 10_000)),
                ("memory", RequestBody(InputStream(data: Self.bytes), length: nil)),
                ("pieces", RequestBody(PiecesStream([Self.bytes]), length: 10_000)),
            ]
        )
    }

    @Test func `each kind of source gives its bytes in order and ends`() throws {
        let (file, bodies) = try sources()
        for (name, body) in bodies {
            let reading = Reading(body)
            #expect(reading.data == Self.bytes, "\(name)")
            #expect(reading.ended, "\(name)")
            #expect(Reading(body).data.isEmpty, "\(name)")
        }
        withExtendedLifetime(file) {}
    }

    @Test(arguments: [nil, 300_000] as [Int64?])
    func `a file's bytes fill the buffer, whatever their place in it`(length: Int64?) throws {
        let bytes = GeneratedBytes.bytes(seed: 8, range: 0..<300_000)
        let file = try TemporaryFile(bytes)
        let stream = try #require(InputStream(fileAtPath: file.path))
        let body = RequestBody(stream, length: length)
        // As glibc places a large buffer
        let pages = UnsafeMutableRawBufferPointer.allocate(byteCount: 69_632, alignment: 4096)
        defer { pages.deallocate() }
        let buffer = UnsafeMutableRawBufferPointer(rebasing: pages[16..<65_552])
        var data = Data()
        var counts: [Int] = []
        while case .bytes(let count) = body.next(into: buffer) {
            data.append(contentsOf: buffer[..<count])
            counts.append(count)
        }
        #expect(counts.dropLast().allSatisfy { $0 == 65_536 } && counts.count == 5)
        #expect(data == bytes)
    }

    @Test func `a body that fits into the buffer is one piece`() throws {
        let (file, bodies) = try sources()
        let pages = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 4096)
        defer { pages.deallocate() }
        for (name, body) in bodies where body.length != nil {
            let portion = body.next(into: UnsafeMutableRawBufferPointer(rebasing: pages[16...]))
            guard case .bytes(10_000) = portion else {
                Issue.record("\(name): \(portion)")
                continue
            }
        }
        withExtendedLifetime(file) {}
    }

    @Test func `an empty source ends at once`() throws {
        let file = try TemporaryFile(Data())
        let stream = try #require(InputStream(fileAtPath: file.path))
        let bodies = [
            RequestBody(Data()), RequestBody(stream, length: nil),
            RequestBody(InputStream(data: Data()), length: nil),
            RequestBody(InputStream(data: Data()), length: 0),
            RequestBody(PiecesStream([]), length: nil),
        ]
        for (index, body) in bodies.enumerated() {
            let reading = Reading(body)
            #expect(reading.ended, "\(index)")
            #expect(reading.data.isEmpty, "\(index)")
        }
    }

    @Test func `the length is that of data and what was declared of a stream`() {
        #expect(RequestBody(Self.bytes).length == 10_000)
        #expect(RequestBody(InputStream(data: Self.bytes), length: nil).length == nil)
        #expect(RequestBody(InputStream(data: Self.bytes), length: 5).length == 5)
    }

    @Test func `data and a file of known length rewind to the first byte`() throws {
        let (file, bodies) = try sources()
        for (name, body) in bodies where ["data", "slice", "file of known length"].contains(name) {
            for _ in 0..<3 {
                #expect(Reading(body).data == Self.bytes, "\(name)")
                #expect(body.rewind(), "\(name)")
            }
        }
        withExtendedLifetime(file) {}
    }

    @Test func `a file rewinds in the middle`() throws {
        let (file, bodies) = try sources()
        let body = try #require(bodies.first { $0.0 == "file" }?.1)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { buffer.deallocate() }
        _ = body.next(into: buffer)
        #expect(body.rewind())
        #expect(Reading(body).data == Self.bytes)
        withExtendedLifetime(file) {}
    }

    @Test func `what cannot be rewound says so and is not sent again in part`() {
        for stream in [InputStream(data: Self.bytes), PiecesStream([Self.bytes])] {
            let body = RequestBody(stream, length: nil)
            #expect(body.rewind(), "nothing was read yet")
            _ = Reading(body)
            #expect(!body.rewind())
        }
    }

    @Test func `a stream is read no further than was declared`() {
        let body = RequestBody(InputStream(data: Self.bytes), length: 1_234)
        let reading = Reading(body)
        #expect(reading.data == Self.bytes.prefix(1_234))
        #expect(reading.ended)
    }

    @Test func `a stream that ends early fails and says where`() {
        let body = RequestBody(InputStream(data: Data("abc".utf8)), length: 5)
        let reading = Reading(body)
        #expect(reading.data == Data("abc".utf8))
        let error = reading.error as? URLError
        #expect(error?.code == .requestBodyStreamExhausted)
        #expect(error?.localizedDescription.contains("3 of the 5") == true)
    }

    @Test func `a stream may be dry and full again`() {
        let stream = PiecesStream([Data("ab".utf8), Data("cd".utf8)], allowed: 0)
        let body = RequestBody(stream, length: nil)
        #expect(Reading(body).dry)
        stream.allow(1)
        let first = Reading(body)
        #expect(first.data == Data("ab".utf8))
        #expect(first.dry)
        stream.allow(1)
        #expect(Reading(body).data == Data("cd".utf8))
    }

    @Test func `a stream that fails gives its own error`() {
        let broken = PiecesStream([Data("ab".utf8)], failure: BrokenSource())
        let reading = Reading(RequestBody(broken, length: nil))
        #expect(reading.data == Data("ab".utf8))
        #expect(reading.error is BrokenSource)
    }

    @Test func `a file that is not there fails`() throws {
        let stream = try #require(InputStream(fileAtPath: "/nowhere/at/all"))
        let reading = Reading(RequestBody(stream, length: nil))
        #expect(reading.data.isEmpty)
        #expect(reading.error != nil)
    }

    @Test func `a closed stream fails`() {
        let stream = PiecesStream([Self.bytes])
        let body = RequestBody(stream, length: nil)
        body.close()
        #expect(Reading(body).error != nil)
    }
}
