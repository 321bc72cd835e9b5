import TestSupport

@testable import NetworkImages

@Suite("Pixels that are decoded when they are asked for", .timeLimit(.minutes(2)))
struct PixelContentTests {
    /// A picture that a test decodes.
    private struct Picture: EncodedPicture {
        let format = ImageFormat.png
        let stored = PixelSize(width: 2, height: 1)
        let decode: @Sendable () throws -> Void

        func decodedBytes(scaled: PixelSize) -> Int { scaled.bytes }

        func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
            try decode()
            return try PixelBuffer(scaled)
        }
    }

    private func image(_ decode: @escaping @Sendable () throws -> Void) throws -> DecodedImage {
        let picture = Picture(decode: decode)
        return try EncodedFile(picture: picture, bytes: Data(count: 99), limits: ImageLimits())
            .image(scaled: picture.stored, scale: 1)
    }

    @Test func `where there was no memory another call tries again; damage stays`() throws {
        for reason in [ImageDecodingError.Reason.outOfMemory(8), .truncated(.png)] {
            let tries = Locked(0)
            let image = try image {
                let isFirst = tries.withLock { tries in
                    tries += 1
                    return tries == 1
                }
                if isFirst { throw ImageDecodingError(reason) }
            }
            #expect(throws: ImageDecodingError(reason)) { try image.pixels() }
            if reason == .truncated(.png) {
                #expect(throws: ImageDecodingError(reason)) { try image.pixels() }
            } else {
                #expect(try image.pixels().count == 8 && image.isInflated)
            }
        }
    }

    @Test func `whether an image is inflated, and what it costs, is known while it is decoded`()
        async throws
    {
        let (entered, asked, ended) = (Signal(), Log<Bool>(), Log<Int>())
        let gate = DispatchSemaphore(value: 0)
        // No thread stays blocked where the test fails.
        defer { gate.signal() }
        let image = try image {
            entered.fire()
            gate.wait()
        }
        for _ in 0..<2 {
            Thread.detachNewThread { ended.add((try? image.pixels())?.count ?? 0) }
        }
        await entered.wait()
        Thread.detachNewThread { asked.add(image.isInflated || image.cost != 99) }
        #expect(await asked.reaches(1))
        #expect(asked.all == [false])
        gate.signal()
        #expect(await ended.reaches(2))
        #expect(ended.all == [8, 8] && entered.count == 1 && image.isInflated)
    }
}
