import TestSupport

@testable import NetworkImages

@Suite("Animations", .timeLimit(.minutes(2)))
struct AnimatedImageTests {
    private static func bar(kept: Int = 8 << 20) throws -> AnimatedImage {
        var decoder = ImageDecoder()
        decoder.limits.keptFrameBytes = kept
        return try #require(decoder.image(from: Pixels.file("bar.gif")).animation)
    }

    /// In which twelfth of the picture the bar is.
    private static func place(_ frame: DecodedImage) throws -> Int? {
        let row = try frame.pixels().prefix(160 * 4)
        let background = row.dropFirst(0).prefix(4)
        let last = row.suffix(4)
        let most = background == last ? background : row.dropFirst(80 * 4).prefix(4)
        return (0..<160).first { Data(row.dropFirst($0 * 4).prefix(4)) != Data(most) }
            .map { ($0 * 12 + 11) / 160 }
    }

    @Test(arguments: [0, 8 << 20])
    func `each frame is the same in whatever order they are asked for`(_ kept: Int) throws {
        let animation = try Self.bar(kept: kept)
        let inOrder = try (0..<12).map { try animation.frame(at: $0).pixels() }
        #expect(Set(inOrder).count == 12)
        for index in [11, 0, 5, 5, 4, 6, 11, 11, 1] {
            #expect(try animation.frame(at: index).pixels() == inOrder[index], "\(index)")
        }
        #expect(try Self.place(animation.frame(at: 3)) == 3)
    }

    @Test func `frames are kept only where all of them have room`() throws {
        let bytes = 160 * 120 * 4 * 12
        let kept = try Self.bar(kept: bytes)
        #expect(try kept.frame(at: 2) == kept.frame(at: 2))
        let drawn = try Self.bar(kept: bytes - 1)
        #expect(try drawn.frame(at: 2) != drawn.frame(at: 2))
    }

    @Test(arguments: [0, 8 << 20])
    func `frames have the scale of their image, whoever had them drawn`(_ kept: Int) throws {
        var decoder = ImageDecoder()
        decoder.limits.keptFrameBytes = kept
        let image = try decoder.image(from: Pixels.file("bar.gif"))
        let double = image.with(scale: 2)
        let first = try #require(image.animation).frame(at: 1)
        let other = try #require(double.animation).frame(at: 1)
        #expect(first.scale == 1 && other.scale == 2 && other.width == 80)
        #expect(try other.pixels() == first.pixels())
        #expect(try #require(image.animation).frame(at: 1).scale == 1)
    }

    @Test func `what a file has beside its pixels is in an animation's cost`() throws {
        let file = try Pixels.file("bar.gif")
        let comment = [0x21, 0xFE] + [UInt8](repeating: 200, count: 201) + [0]
        let comments = Data((0..<1000).flatMap { _ in comment })
        let plain = try ImageDecoder().image(from: file)
        let large = try ImageDecoder().image(from: file.dropLast() + comments + [0x3B])
        #expect(large.frameCount == 12 && large.cost == plain.cost + UInt64(comments.count))
    }

    @Test func `what frames have beyond the canvas is limited together`() throws {
        var file = try Pixels.file("bar.gif")
        file.replaceSubrange(6..<10, with: [1, 0, 1, 0])
        let hidden = 12 * (160 * 120 - 1)
        var decoder = ImageDecoder()
        decoder.limits.maximumPixels = hidden
        let image = try decoder.image(from: file)
        #expect(image.pixelSize == PixelSize(width: 1, height: 1) && image.frameCount == 12)
        decoder.limits.maximumPixels = hidden - 1
        let error = #expect(throws: ImageLimitError.self) { try decoder.image(from: file) }
        #expect(error?.limit == .pixels)
        // A frame that lies to the right and below, and reaches beyond.
        file.replaceSubrange(6..<10, with: [160, 0, 120, 0])
        let frame = try #require(file.firstRange(of: Data([0x2C, 0, 0, 0, 0, 160, 0, 120, 0])))
        file[frame.lowerBound + 1] = 10
        file[frame.lowerBound + 3] = 200
        decoder.limits.maximumPixels = 160 * 120
        #expect(try decoder.image(from: file).frameCount == 12)
    }

    @Test func `durations, plays and a frame that is not there`() throws {
        let animation = try Self.bar()
        #expect(animation.durations == Array(repeating: 0.1, count: 12))
        #expect(animation.playCount == nil && animation.frameCount == 12)
        for index in [-1, 12, Int.max] {
            #expect(throws: ImageDecodingError.self) { try animation.frame(at: index) }
        }
    }

    @Test func `the picture itself is the first frame, and frames are made smaller too`() throws {
        var decoder = ImageDecoder()
        decoder.targetPixelSize = PixelSize(width: 80, height: 80)
        let image = try decoder.image(from: Pixels.file("bar.gif"))
        let animation = try #require(image.animation)
        #expect(try animation.frame(at: 0).pixels() == image.pixels())
        #expect(try animation.frame(at: 7).pixelSize == PixelSize(width: 80, height: 60))
    }

    @Test func `a damaged frame is an error, and those before it are still there`() throws {
        var file = try Pixels.file("bar.gif")
        // The codes of the last frame end at once.
        let frames = file.ranges(of: Data([0x21, 0xF9, 4, 4]))
        let last = try #require(frames.last)
        file[last.lowerBound + 8 + 10 + 2] = 129
        let animation = try #require(ImageDecoder().image(from: file).animation)
        #expect(throws: ImageDecodingError.self) { try animation.frame(at: 11) }
        #expect(try animation.frame(at: 10).pixelSize.width == 160)
        #expect(throws: ImageDecodingError.self) { try animation.frame(at: 11) }
    }

    @Test func `frames behind a damaged one cost nothing, however often they are asked for`()
        throws
    {
        var file = try Pixels.file("bar.gif")
        // The frames ten times over; of the 61st the codes end at once.
        let first = try #require(file.firstRange(of: Data([0x21, 0xF9, 4, 4]))).lowerBound
        let frames = file[first..<file.endIndex - 1]
        for _ in 1..<10 { file.insert(contentsOf: frames, at: first) }
        let starts = file.ranges(of: Data([0x21, 0xF9, 4, 4])).map(\.lowerBound)
        file[starts[60] + 8 + 10 + 2] = 129
        var decoder = ImageDecoder()
        decoder.limits.keptFrameBytes = 0
        let animation = try #require(decoder.image(from: file).animation)
        #expect(animation.frameCount == 120)
        let (_, once) = processorTime {
            _ = #expect(throws: ImageDecodingError.self) { try animation.frame(at: 60) }
        }
        let (_, again) = processorTime {
            for index in 60..<120 {
                _ = #expect(throws: ImageDecodingError.self) { try animation.frame(at: index) }
            }
        }
        #expect(again < 10 * once)
        #expect(try animation.frame(at: 59).pixelSize.width == 160)
    }
}
