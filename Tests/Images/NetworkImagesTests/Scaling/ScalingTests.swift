import Foundation
import Testing

@testable import DrawnPictures
@testable import NetworkImages

@Suite("Making smaller and turning", .timeLimit(.minutes(1)))
struct ScalingTests {
    @Test(arguments: [
        (160, 120, 40, 40, 40, 30), (120, 160, 40, 40, 30, 40), (10, 10, 20, 20, 10, 10),
        (1000, 1, 10, 10, 10, 1), (100, 100, 0, -5, 1, 1), (3, 2, 2, 2, 2, 1),
        (30, 20, 100, 10, 15, 10),
    ])
    func `a size fits, in proportion, with one pixel at least`(
        _ width: Int, _ height: Int, _ across: Int, _ down: Int, _ expectedWidth: Int,
        _ expectedHeight: Int
    ) {
        let fitted = PixelSize(width: width, height: height)
            .fitting(PixelSize(width: across, height: down))
        #expect(fitted == PixelSize(width: expectedWidth, height: expectedHeight))
    }

    /// The mean of what each target pixel covers, in floating point.
    private static func means(
        _ bytes: [UInt8], _ from: PixelSize, _ to: PixelSize
    ) -> [UInt8] {
        var result: [UInt8] = []
        let (wide, high) = (
            Double(from.width) / Double(to.width), Double(from.height) / Double(to.height)
        )
        for row in 0..<to.height {
            for column in 0..<to.width {
                for color in 0..<4 {
                    var sum = 0.0
                    for y in 0..<from.height {
                        let tall =
                            min(Double(y + 1), Double(row + 1) * high)
                            - max(Double(y), Double(row) * high)
                        for x in 0..<from.width where tall > 0 {
                            let broad =
                                min(Double(x + 1), Double(column + 1) * wide)
                                - max(Double(x), Double(column) * wide)
                            let value = bytes[(y * from.width + x) * 4 + color]
                            if broad > 0 { sum += Double(value) * tall * broad }
                        }
                    }
                    result.append(UInt8((sum / (wide * high) + 0.499999).rounded(.down)))
                }
            }
        }
        return result
    }

    @Test(arguments: [(7, 5, 3, 2), (8, 8, 4, 4), (9, 4, 9, 1), (5, 9, 1, 9), (6, 6, 5, 5)])
    func `each pixel is the mean of what it covers`(
        _ width: Int, _ height: Int, _ across: Int, _ down: Int
    ) throws {
        let from = PixelSize(width: width, height: height)
        let to = PixelSize(width: across, height: down)
        let bytes = (0..<from.bytes).map { UInt8($0 * 37 % 256) }
        let picture = try Pixels.buffer(from, bytes).shown(scaled: to, .up, hasAlpha: false)
        let expected = Self.means(bytes, from, to)
        for (one, other) in zip(picture.all, expected) { #expect(abs(Int(one) - Int(other)) <= 1) }
        #expect(picture.size == to)
    }

    @Test func `nothing of a color is seen through what is transparent`() throws {
        let bytes: [UInt8] = [255, 0, 0, 0, 0, 0, 255, 255]
        let picture = try Pixels.buffer(PixelSize(width: 2, height: 1), bytes)
            .shown(scaled: PixelSize(width: 1, height: 1), .up, hasAlpha: true)
        #expect(Array(picture.all) == [0, 0, 128, 128])
    }

    @Test(arguments: ImageOrientation.allCases)
    func `a picture that was stored turned is shown upright`(
        _ orientation: ImageOrientation
    ) throws {
        let drawing = Drawing.letter(PixelSize(width: 20, height: 24))
        let stored = drawing.stored(orientation)
        let buffer = try Pixels.buffer(stored.size, stored.pixels)
        let shown = try buffer.shown(scaled: stored.size, orientation, hasAlpha: false)
        #expect(shown.size == drawing.size)
        #expect(Array(shown.all) == drawing.pixels)
    }

    @Test func `the numbers of a quarter turn clockwise`() throws {
        // Two pixels side by side, turned by 6: the left one is on top.
        let bytes: [UInt8] = [1, 1, 1, 255, 2, 2, 2, 255]
        let shown = try Pixels.buffer(PixelSize(width: 2, height: 1), bytes)
            .shown(scaled: PixelSize(width: 2, height: 1), .right, hasAlpha: false)
        #expect(shown.size == PixelSize(width: 1, height: 2))
        #expect(Array(shown.all) == bytes)
        // Two on top of each other: the upper one is on the right.
        let tall = try Pixels.buffer(PixelSize(width: 1, height: 2), bytes)
            .shown(scaled: PixelSize(width: 1, height: 2), .right, hasAlpha: false)
        #expect(Array(tall.all) == Array(bytes[4...]) + Array(bytes[..<4]))
    }

    @Test func `premultiplied colors, and back`() {
        var row: [UInt8] = [200, 100, 50, 128, 9, 9, 9, 0, 10, 20, 30, 255]
        row.withUnsafeMutableBufferPointer { Premultiplication.apply(to: $0) }
        #expect(row == [100, 50, 25, 128, 0, 0, 0, 0, 10, 20, 30, 255])
        #expect(Premultiplication.undone(100, alpha: 128) == 199)
        #expect(Premultiplication.undone(100, alpha: 0) == 0)
    }
}
