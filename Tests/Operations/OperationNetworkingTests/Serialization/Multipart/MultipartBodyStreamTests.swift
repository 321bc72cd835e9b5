import Dispatch
import TestSupport

@testable import OperationNetworking

/// MP-13 to MP-17, defect 6.
@Suite("The body as a stream", .timeLimit(.minutes(5)))
struct MultipartBodyStreamTests {
    private static let frame =
        "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
    private static let second =
        "\r\n--B\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n"

    private static var two: String { frame + "1" + second + "hello world\r\n--B--\r\n" }

    private func twoParts() throws -> MultipartBodyStream {
        try bodyStream([try dataPart("1"), try dataPart("hello world", name: "b")])
    }

    @Test func `every read size gives the same bytes, each read as full as can be`() throws {
        let expected = Data(Self.two.utf8)
        for size in 1...expected.count + 1 {
            let stream = try twoParts()
            let body = readAll(stream, sizes: [size])
            #expect(body.bytes == expected, "\(size)")
            let rest = expected.count % size
            #expect(
                body.sizes == Array(repeating: size, count: expected.count / size)
                    + (rest > 0 ? [rest] : []) + [0])
        }
    }

    @Test func `what is declared is what is sent, for any parts and read sizes`() throws {
        let folder = TemporaryFolder()
        for seed in UInt64(1)...40 {
            var random = SeededNumbers(seed: seed)
            var wanted: [Data] = []
            var parts: [HTTPBodyPart] = []
            for index in 0..<Int.random(in: 1...6, using: &random) {
                let bytes = random.bytes(
                    [0, 1, 2, 50, 10_000].randomElement(using: &random) ?? 0)
                wanted.append(bytes)
                let headers = try PartHeaders(name: "\(index)")
                let body: PartBody =
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: .data(bytes)
                    case 1: .file(try FilePart(folder.write("\(seed)-\(index)", bytes)))
                    default:
                        .stream(StreamPart(InputStream(data: bytes), length: Int64(bytes.count)))
                    }
                parts.append(HTTPBodyPart(headers: headers, body: body))
            }
            let boundary = MultipartBoundary.random()
            let stream = try MultipartBodyStream(parts, boundary: boundary)
            let sizes = (0..<5).map { _ in Int.random(in: 1...4_000, using: &random) }
            let body = readAll(stream, sizes: sizes)
            #expect(body.isComplete, "seed \(seed)")
            #expect(Int64(body.bytes.count) == stream.contentLength, "seed \(seed)")
            let read = try StrictMultipartReader.parts(of: body.bytes, boundary: boundary.text)
            #expect(read.map(\.body) == wanted, "seed \(seed)")
        }
    }

    @Test func `it is open until it is closed, also at its end`() throws {
        let stream = try twoParts()
        #expect(stream.streamStatus == .notOpen)
        #expect(!stream.hasBytesAvailable)
        stream.open()
        stream.open()
        #expect(stream.streamStatus == .open)
        var buffer = [UInt8](repeating: 0, count: 1_000)
        #expect(stream.read(&buffer, maxLength: 0) == 0)
        #expect(stream.read(&buffer, maxLength: 1_000) == Self.two.utf8.count)
        #expect(stream.hasBytesAvailable)
        #expect(stream.read(&buffer, maxLength: 1_000) == 0)
        #expect(stream.streamStatus == .open)
        #expect(stream.streamError == nil)
        stream.close()
        #expect(stream.streamStatus == .closed)
        #expect(!stream.hasBytesAvailable)
        stream.open()
        #expect(stream.read(&buffer, maxLength: 1_000) == 0)
    }

    @Test func `closed in the middle it gives nothing more`() throws {
        let stream = try twoParts()
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 10)
        #expect(stream.read(&buffer, maxLength: 10) == 10)
        stream.close()
        #expect(stream.read(&buffer, maxLength: 10) == 0)
    }

    @Test func `it has no properties, no buffer of its own and no events`() throws {
        let stream = try twoParts()
        #expect(stream.property(forKey: .fileCurrentOffsetKey) == nil)
        #expect(!stream.setProperty(NSNumber(value: 0), forKey: .fileCurrentOffsetKey))
        stream.schedule(in: .current, forMode: .default)
        stream.remove(from: .current, forMode: .default)
        var pointer: UnsafeMutablePointer<UInt8>?
        var length = 0
        #expect(!stream.getBuffer(&pointer, length: &length))
    }

    @Test func `a slice of data is sent as the slice`() throws {
        let slice = Data("0123456789".utf8)[3..<6]
        let part = HTTPBodyPart(headers: try PartHeaders(name: "a"), body: .data(slice))
        let body = readAll(try bodyStream([part]), sizes: [2])
        #expect(body.text == Self.frame + "345\r\n--B--\r\n")
    }

    @Test func `parts too long to be counted are refused`() throws {
        #expect {
            try bodyStream([
                try streamPart(InputStream(data: Data()), length: .max - 200),
                try dataPart(String(repeating: "x", count: 200)),
            ])
        } throws: {
            ($0 as? MultipartError)?.reason == .refusedLength
        }
    }

    @Test func `ten parts are read while the main queue is blocked`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("a.bin")
        let stream = try bodyStream((0..<10).map { _ in try filePart(file) })
        let length = stream.contentLength
        let isBlocked = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {
            isBlocked.signal()
            mayGoOn.wait()
        }
        isBlocked.wait()
        let body = readAll(stream, sizes: [7])
        mayGoOn.signal()
        #expect(Int64(body.bytes.count) == length)
    }
}
