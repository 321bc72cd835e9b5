import Foundation
import Testing

@testable import NetworkImages

@Suite("JPEG", .timeLimit(.minutes(2)))
struct JPEGTests {
    private static func picture(_ file: Data, _ limits: ImageLimits = .init()) throws -> JPEGPicture
    {
        try file.withUnsafeBytes { try JPEGPicture(ByteView($0, .jpeg), limits) }
    }

    /// A frame header, and scans without data.
    private static func file(
        _ frame: UInt8, _ width: Int, _ height: Int, components: Int, scans: Int
    ) -> Data {
        var file: [UInt8] = [0xFF, 0xD8, 0xFF, frame, 0, UInt8(8 + components * 3), 8]
        file += [UInt8(height >> 8), UInt8(height & 255), UInt8(width >> 8), UInt8(width & 255)]
        file.append(UInt8(components))
        for number in 0..<components { file += [UInt8(number + 1), 0x11, 0] }
        for _ in 0..<scans { file += [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 0, 0, 0x55] }
        return Data(file + [0xFF, 0xD9])
    }

    @Test func `the decoder itself makes a picture smaller, by eighths, and never below`() throws {
        let picture = try Self.picture(Pixels.file("gradient.jpg"))
        func made(_ width: Int, _ height: Int) -> PixelSize {
            picture.made(for: PixelSize(width: width, height: height))
        }
        #expect(made(160, 120) == PixelSize(width: 160, height: 120))
        #expect(made(80, 60) == PixelSize(width: 80, height: 60))
        #expect(made(79, 59) == PixelSize(width: 80, height: 60))
        #expect(made(81, 61) == PixelSize(width: 100, height: 75))
        #expect(made(1, 1) == PixelSize(width: 20, height: 15))
        // Memory falls with the square.
        #expect(picture.decodedBytes(scaled: PixelSize(width: 20, height: 15)) == 20 * 15 * 4)
    }

    @Test func `a progressive picture's coefficients count`() throws {
        let plain = try Self.picture(Self.file(0xC0, 800, 600, components: 1, scans: 1))
        #expect(plain.decodedBytes(scaled: plain.stored) == 800 * 600 * 4)
        let progressive = try Self.picture(Self.file(0xC2, 800, 600, components: 3, scans: 1))
        #expect(
            progressive.decodedBytes(scaled: progressive.stored) == 800 * 600 * 4 + 800 * 600 * 6)
        let inParts = try Self.picture(Self.file(0xC0, 800, 600, components: 3, scans: 3))
        #expect(inParts.header.coefficientBytes == 800 * 600 * 6)
    }

    @Test func `too many scans, or too much work in them, is refused from the header`() throws {
        var limits = ImageLimits()
        limits.maximumScans = 20
        let many = Self.file(0xC2, 64, 64, components: 1, scans: 21)
        #expect(throws: ImageLimitError(.scans, 20)) { try Self.picture(many, limits) }
        let wide = Self.file(0xC2, 4096, 4096, components: 1, scans: 200)
        #expect(throws: ImageLimitError(.scanBlocks, 32_000_000)) { try Self.picture(wide) }
        // One pass over the largest picture is within the limit, whatever that is.
        limits.maximumScanBlocks = 1
        let once = Self.file(0xC0, 4096, 4096, components: 1, scans: 1)
        #expect(try Self.picture(once, limits).header.scans == 1)
    }

    @Test func `what libjpeg would only warn of is an error`() throws {
        let file = try Pixels.file("gradient.jpg")
        let error = #expect(throws: ImageDecodingError.self) {
            try ImageDecoder().image(from: file.prefix(file.count / 2))
        }
        #expect(error?.reason == .truncated(.jpeg))
    }

    @Test func `four inks become colors`() {
        var row: [UInt8] = [255, 128, 0, 255, 255, 255, 255, 0, 200, 100, 50, 127]
        row.withUnsafeMutableBufferPointer { InkConversion.apply(to: $0) }
        #expect(row == [255, 128, 0, 255, 0, 0, 0, 255, 100, 50, 25, 255])
    }
}
