import CZlib
import TestSupport

@testable import CurlConnection

@Suite("Coded bodies", .timeLimit(.minutes(1)))
struct ContentDecoderTests {
    enum Wrapper: Int32, CaseIterable {
        case gzip = 31
        case zlib = 15
        case raw = -15

        var name: String { self == .gzip ? "gzip" : "deflate" }
    }

    private static let text = Data("hello world, hello world, hello".utf8)

    /// Bytes that do not compress, so that a stream has many pieces.
    private static let noise: Data = {
        var state: UInt64 = 1
        return Data(
            (0..<200_000).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1
                return UInt8(truncatingIfNeeded: state >> 56)
            })
    }()

    private static func coded(_ data: Data, _ wrapper: Wrapper) -> Data {
        var stream = z_stream()
        deflateInit2_(
            &stream, 9, Z_DEFLATED, wrapper.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        defer { deflateEnd(&stream) }
        var input = [UInt8](data)
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(data.count))))
        let count = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                _ = deflate(&stream, Z_FINISH)
                return output.count - Int(stream.avail_out)
            }
        }
        return Data(output.prefix(count))
    }

    private func decoder(
        _ coding: String, ratio: Int? = 200
    ) throws -> ContentDecoder? {
        try ContentDecoder(
            for: ResponseHead(
                version: "HTTP/1.1", statusCode: 200,
                fields: ["content-encoding": coding]),
            ratio: ratio)
    }

    /// The decoded body, given in pieces of a size.
    private func decode(
        _ data: Data, _ coding: String, by size: Int = 100_000, ratio: Int? = 200
    ) throws -> Data {
        let decoder = try #require(try decoder(coding, ratio: ratio))
        var result = Data()
        for start in stride(from: 0, to: data.count, by: size) {
            let piece = [UInt8](data[start..<min(start + size, data.count)])
            piece.withUnsafeBytes { decoder.push($0) }
            while let decoded = try decoder.next() {
                #expect(!decoded.isEmpty)
                result.append(contentsOf: decoded)
            }
        }
        try decoder.finish()
        return result
    }

    @Test(arguments: Wrapper.allCases, [1, 2, 7, 100_000])
    func `a body comes back whatever its pieces`(wrapper: Wrapper, size: Int) throws {
        let coded = Self.coded(Self.text, wrapper)
        #expect(try decode(coded, wrapper.name, by: size) == Self.text)
        let noise = size < 7 ? Data(Self.noise.prefix(5_000)) : Self.noise
        #expect(try decode(Self.coded(noise, wrapper), wrapper.name, by: size) == noise)
        #expect(try decode(Self.coded(Data(), wrapper), wrapper.name, by: size).isEmpty)
    }

    @Test(arguments: Wrapper.allCases, [1, 100_000])
    func `every cut of a coded body is an error`(wrapper: Wrapper, size: Int) throws {
        let coded = Self.coded(Self.text, wrapper)
        for length in 1..<coded.count {
            #expect(throws: ResponseFault.self, "\(length) of \(coded.count) bytes") {
                try decode(coded.prefix(length), wrapper.name, by: size)
            }
        }
        #expect(try decode(Data(), wrapper.name).isEmpty)
    }

    @Test
    func `a gzip body may have several members, each of which must be whole`() throws {
        let one = Self.coded(Data("hello ".utf8), .gzip)
        let two = Self.coded(Data("world".utf8), .gzip)
        for size in [1, 3, 1_000] {
            #expect(try decode(one + two, "gzip", by: size) == Data("hello world".utf8))
            // Each of these may be a member of which the end is missing, or one that is broken.
            for tail in [
                Data([0x1F]), two.prefix(2), two.prefix(9), two.dropLast(), two + two.prefix(1),
            ] {
                #expect(throws: ResponseFault.self) { try decode(one + tail, "gzip", by: size) }
            }
            let broken = Data([0x1F, 0x8B, 7]) + two.dropFirst(3)
            #expect(throws: ResponseFault.self) { try decode(one + broken, "gzip", by: size) }
        }
    }

    /// Bytes that begin no member.
    private static let tails = [
        Data([0]), Data(count: 10), Data("junk".utf8), Data([0x1F, 0]), Data([0x1F, 0x1F, 0x8B]),
        Data(repeating: 0xFF, count: 60_000), Data([0x78, 0x9C]),
    ]

    @Test(arguments: Wrapper.allCases, [1, 3, 100_000])
    func `what follows the end and begins no member is passed over, whatever the coding`(
        wrapper: Wrapper, size: Int
    ) throws {
        let coded = Self.coded(Self.text, wrapper)
        for (index, tail) in Self.tails.enumerated() {
            #expect(
                try decode(coded + tail, wrapper.name, by: size) == Self.text, "tail \(index)")
        }
        // A member behind such bytes is passed over with them.
        #expect(
            try decode(coded + Data(count: 3) + coded, wrapper.name, by: size) == Self.text)
        // In both of two layers
        let twice = Self.coded(coded + Data(count: 10), .zlib) + Data("junk".utf8)
        #expect(try decode(twice, "\(wrapper.name), deflate", by: size) == Self.text)
    }

    @Test(arguments: Wrapper.allCases, [1_000, 100_000])
    func `so many bytes are passed over and no more`(wrapper: Wrapper, size: Int) throws {
        let coded = Self.coded(Self.text, wrapper)
        #expect(try decode(coded + Data(count: 65_536), wrapper.name, by: size) == Self.text)
        let fault = #expect(throws: ResponseFault.self) {
            try decode(coded + Data(count: 65_537), wrapper.name, by: size)
        }
        #expect(fault?.code == .cannotDecodeContentData)
        // And none where the stream has not ended. A bare one has no sum by which that would show.
        guard wrapper != .raw else { return }
        #expect(throws: ResponseFault.self) {
            try decode(coded.dropLast(4) + Data(count: 10), wrapper.name, by: size)
        }
    }

    @Test
    func `a body that is not what its coding says is an error`() {
        for (data, coding) in [
            (Data(#"{"plain": true}"#.utf8), "gzip"), (Self.noise, "deflate"),
            (Self.coded(Self.text, .zlib), "gzip"),
        ] {
            #expect(throws: ResponseFault.self) { try decode(data, coding) }
        }
        var broken = Self.coded(Self.text, .gzip)
        broken[broken.count - 8] ^= 0xFF
        #expect(throws: ResponseFault.self) { try decode(broken, "gzip") }
    }

    @Test
    func `codings are undone from the last to the first`() throws {
        let twice = Self.coded(Self.coded(Self.text, .gzip), .zlib)
        #expect(try decode(twice, "gzip, deflate") == Self.text)
        #expect(throws: ResponseFault.self) { try decode(twice, "deflate, gzip") }
        #expect(try decode(Self.coded(Self.text, .gzip), " X-GZIP ,identity") == Self.text)
    }

    @Test
    func `only what was offered can be undone`() throws {
        for coding in ["br", "zstd", "mystery", "gzip, mystery"] {
            let fault = #expect(throws: ResponseFault.self) { try decoder(coding) }
            #expect(fault?.code == .cannotDecodeContentData)
        }
        #expect(throws: ResponseFault.self) {
            try decoder(Array(repeating: "gzip", count: 6).joined(separator: ","))
        }
        for coding in ["", "identity", " Identity ,"] {
            #expect(try decoder(coding) == nil)
        }
    }

    @Test
    func `a bomb ends early, in every layer, with its own error`() throws {
        let zeros = Data(count: 4 << 20)
        let once = Self.coded(zeros, .gzip)
        #expect(try decode(once, "gzip", ratio: nil) == zeros)
        let decoder = try #require(try decoder("gzip"))
        var total = 0
        [UInt8](once).withUnsafeBytes { decoder.push($0) }
        let fault = #expect(throws: ResponseFault.self) {
            while let piece = try decoder.next() { total += piece.count }
        }
        #expect(fault == ResponseFault(.decompressionRatio, 200))
        #expect(total <= (1 << 20) + 65_536)
        // The outer stream grows, the inner one is small.
        let hidden = Self.coded(Self.coded(zeros, .gzip) + Data(count: 0), .gzip)
        #expect(throws: ResponseFault.self) { try decode(hidden, "gzip, gzip") }
        #expect(try decode(Self.coded(Data(count: 1 << 20), .gzip), "gzip").count == 1 << 20)
    }

    @Test
    func `what is left lies until it is taken`() throws {
        let decoder = try #require(try decoder("deflate, gzip"))
        let coded = Self.coded(Self.coded(Data(count: 300_000), .zlib), .gzip)
        [UInt8](coded).withUnsafeBytes { decoder.push($0) }
        var sizes: [Int] = []
        while let piece = try decoder.next() { sizes.append(piece.count) }
        #expect(sizes.count == 5)
        #expect(sizes.reduce(0, +) == 300_000)
        #expect(try decoder.next() == nil)
        try decoder.finish()
    }

    /// A gzip member's head with a name of four bytes that are repeated, so that it is not coded too well.
    private static let longName: Data = {
        var name = Data([0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3])
        for index in 0..<8_192 {
            let part = noise[index * 8..<(index * 8 + 8)].map { $0 | 1 }
            name.append(contentsOf: part + [UInt8](repeating: UInt8(ascii: "a"), count: 1_016))
        }
        return name
    }()

    /// What costs much and gives little: as it is sent, and its codings.
    private static var idle: [(Data, String)] {
        let noBytes = coded(Data(), .gzip)
        var members = Data()
        for _ in 0..<50_000 { members.append(noBytes) }
        // Blocks of no bytes, each not the last (RFC 1951 section 3.2.4).
        var blocks = Data()
        for _ in 0..<200_000 { blocks.append(contentsOf: [0, 0, 0, 0xFF, 0xFF] as [UInt8]) }
        return [
            (longName, "gzip"), (coded(longName, .gzip), "gzip, gzip"), (members, "gzip"),
            (blocks, "deflate"),
        ]
    }

    @Test
    func `what gives no byte costs a bounded work at once`() throws {
        for (index, (data, coding)) in Self.idle.enumerated() {
            let decoder = try #require(try decoder(coding, ratio: nil))
            var looks = 0
            for start in stride(from: 0, to: data.count, by: 1 << 20) {
                [UInt8](data[start..<min(start + 1 << 20, data.count)]).withUnsafeBytes {
                    decoder.push($0)
                }
                repeat {
                    let before = decoder.work
                    #expect(try decoder.next() == nil)
                    // One step more, of one buffer in each layer.
                    #expect(decoder.work - before <= ContentDecoder.workAtOnce + 600_000)
                    looks += 1
                } while decoder.hasMoreToDo
            }
            #expect(looks > 3, "body \(index)")
        }
    }

    @Test
    func `the outer coding of two has a limit, also for a stream`() throws {
        let name = Data([0x1F, 0x8B, 8, 8, 0, 0, 0, 0, 0, 3]) + Data(repeating: 97, count: 4 << 20)
        let decoder = try #require(try decoder("gzip, gzip", ratio: nil))
        [UInt8](Self.coded(name, .gzip)).withUnsafeBytes { decoder.push($0) }
        let fault = #expect(throws: ResponseFault.self) {
            repeat { _ = try decoder.next() } while decoder.hasMoreToDo
        }
        #expect(fault == ResponseFault(.decompressionRatio, 200))
        // The body itself has none.
        let zeros = Data(count: 4 << 20)
        let twice = Self.coded(Self.coded(zeros, .gzip), .gzip)
        #expect(try decode(twice, "gzip, gzip", ratio: nil) == zeros)
    }

    @Test
    func `a body may be coded twice, and no more often`() throws {
        #expect(try decoder("gzip, deflate") != nil)
        #expect(throws: ResponseFault.self) { try decoder("gzip, gzip, gzip") }
    }
}
