import CurlConnection
import TestSupport

@testable import OperationNetworking

/// MP-15.
@Suite("Throttling a body", .timeLimit(.minutes(5)))
struct MultipartPacingTests {
    private let second: UInt64 = 1_000_000_000

    @Test func `no read is larger than the packet, whatever the buffer`() throws {
        for size in [1, 10, 50] {
            let stream = try bodyStream(
                pacing: MultipartPacing(packetSize: size, delay: 0),
                [try dataPart("hello world"), try dataPart("1", name: "b")])
            let body = readAll(stream)
            #expect(body.sizes.max() == size)
            #expect(Int64(body.bytes.count) == stream.contentLength)
        }
    }

    @Test func `between packets there are no bytes until the delay has passed`() throws {
        let now = Locked<UInt64>(1)
        let stream = try bodyStream(
            clock: { now.withLock { $0 } }, pacing: MultipartPacing(packetSize: 10, delay: 0.2),
            [try dataPart("hello world")])
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(stream.hasBytesAvailable)
        for _ in 0..<3 {
            #expect(stream.read(&buffer, maxLength: 100) == 10)
            #expect(!stream.hasBytesAvailable)
            now.withLock { $0 += second / 5 - 1 }
            #expect(!stream.hasBytesAvailable)
            now.withLock { $0 += 1 }
            #expect(stream.hasBytesAvailable)
        }
    }

    @Test func `320 KiB in packets of 16 KiB take twenty pauses`() throws {
        let now = Locked<UInt64>(1)
        let stream = try bodyStream(
            clock: { now.withLock { $0 } },
            pacing: MultipartPacing(packetSize: 16_384, delay: 0.2),
            [
                HTTPBodyPart(
                    headers: try PartHeaders(name: "a"), body: .data(Data(count: 320 << 10)))
            ])
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var sum: Int64 = 0
        for _ in 0..<10_000 where sum < stream.contentLength {
            guard stream.hasBytesAvailable else {
                now.withLock { $0 += second / 100 }
                continue
            }
            let count = stream.read(&buffer, maxLength: buffer.count)
            #expect(count <= 16_384)
            sum += Int64(count)
        }
        #expect(sum == stream.contentLength)
        #expect(now.withLock { $0 } - 1 >= second / 5 * 20)
    }

    @Test(arguments: [
        (0, 0.2, Int.max, 200_000_000), (-1, 0.2, .max, 200_000_000), (.min, 0, .max, 0),
        (5, -1, 5, 0), (5, .nan, 5, 0), (5, .infinity, 5, 0), (5, 1e300, 5, 86_400_000_000_000),
        (16_384, 0.2, 16_384, 200_000_000), (.max, 1e-9, .max, 1),
    ])
    func `absurd values have a meaning`(
        size: Int, delay: TimeInterval, packetSize: Int, pause: UInt64
    ) {
        let pacing = MultipartPacing(packetSize: size, delay: delay)
        #expect(pacing.packetSize == packetSize)
        #expect(pacing.pause == pause)
    }

    @Test func `a copy for a file is not throttled and any other is`() throws {
        let stream = try bodyStream(
            pacing: MultipartPacing(packetSize: 10, delay: 9), [try dataPart("hello world")])
        #expect(readAll(try stream.unthrottledCopy()).sizes.count == 2)
        #expect(readAll(try stream.freshCopy()).sizes.first == 10)
    }

    @Test func `the last throttle counts, for the whole body`() throws {
        let request = try multipartRequest {
            $0.throttleBandwidth(packetSize: 3, delay: 0)
            $0.appendPart(formData: Data("1".utf8), name: "a")
            $0.throttleBandwidth(packetSize: 20, delay: 0)
        }
        let body = readAll(try #require(request.httpBodyStream))
        #expect(body.sizes.first == 20)
    }
}
