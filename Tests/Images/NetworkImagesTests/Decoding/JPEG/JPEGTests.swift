import TestSupport

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

    // MARK: Warnings

    private static func pixels(_ file: some Collection<UInt8>) throws -> Data {
        try ImageDecoder().image(from: Data(file)).pixels()
    }

    private static func reason(_ file: some Collection<UInt8>) -> ImageDecodingError.Reason? {
        #expect(throws: ImageDecodingError.self) { try pixels(file) }?.reason
    }

    @Test func `what costs no pixel is no damage`() throws {
        let minimal = """
            /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERX\
            RTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/wAALCAAIAAgBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EABQQAQAA\
            AAAAAAAAAAAAAAAAAAD/2gAIAQEAAAAASP/Z
            """
        let sequential = try #require(Data(base64Encoded: minimal))
        #expect(try ImageDecoder().image(from: sequential).pixelWidth == 8)

        let file = try Array(Pixels.file("gradient.jpg"))
        let expected = try Self.pixels(file)
        let mark = try #require(Data(file).firstRange(of: Data("JFIF\0".utf8)))
        for version in [0, 2, 255] as [UInt8] {
            var other = file
            other[mark.upperBound] = version
            #expect(try Self.pixels(other) == expected)
        }
        let scan = try #require(Data(file).firstRange(of: Data([0xFF, 0xDA])))
        for parameters in [[0, 0, 0], [1, 5, 0], [0, 63, 0x21], [63, 0, 0xFF]] as [[UInt8]] {
            var other = file
            let count = Int(file[scan.lowerBound + 4])
            other.replaceSubrange(
                (scan.lowerBound + 5 + count * 2)..<(scan.lowerBound + 8 + count * 2),
                with: parameters)
            #expect(try Self.pixels(other) == expected)
        }
        let stray: [[UInt8]] = [[0], [1, 2, 3], [0xFF], [0xFF, 0, 0], [0xFF, 0xFF]]
        for bytes in stray {
            // After the first segment, by which the format is detected, and before the scan and the end.
            for place in [4 + Int(file[5]), scan.lowerBound, file.count - 2] {
                var other = file
                other.insert(contentsOf: bytes, at: place)
                #expect(try Self.pixels(other) == expected, "\(bytes) at \(place)")
            }
        }
        #expect(try Self.pixels(file.dropLast()) == expected)
        #expect(try Self.pixels(file.dropLast(2)) == expected)
        #expect(try Self.pixels(file + [1, 2, 3, 0xFF, 0xD8, 0xFF]) == expected)
    }

    /// Progressive and plain, with restarts, in several scans, gray, and of four inks.
    @Test(arguments: [
        "baseline", "progressive", "progressive-restart", "restart-1-row-61x43", "restart-3-blocks",
        "gray-61x43", "sample-4x2", "ycck-444", "ycck-444-progressive",
    ])
    func `stray bytes before any mark cost no pixel`(_ name: String) throws {
        let folder = try #require(Bundle.module.url(forResource: "Pictures", withExtension: nil))
        let file = try Array(Data(contentsOf: folder.appending(path: "jpeg-made/\(name).jpg")))
        let expected = try Self.pixels(file)
        // After the first segment, by which the format is detected.
        var place = 4 + Int(file[4]) << 8 + Int(file[5])
        var other = Array(file[..<place])
        var strays = 0
        while place < file.count {
            let isMark = file[place] == 0xFF && place + 1 < file.count && file[place + 1] != 0
            if isMark {
                other += [1, 2, 3]
                strays += 1
            }
            // A segment's own bytes are no marks; restarts and the end have none.
            let hasLength = isMark && !(0xD0...0xD9).contains(file[place + 1])
            let length =
                hasLength
                ? 2 + Int(file[place + 2]) << 8 + Int(file[place + 3]) : isMark ? 2 : 1
            other += file[place..<(place + length)]
            place += length
        }
        #expect(strays > 3)
        #expect(try Self.pixels(other) == expected)
    }

    @Test func `an unknown transform of Adobe's is read as the usual one`() throws {
        var file = try Array(Pixels.file("gradient.jpg"))
        func segment(_ transform: UInt8) -> [UInt8] {
            [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform]
        }
        file.insert(contentsOf: segment(1), at: 2)
        let expected = try Self.pixels(file)
        for transform in [3, 99, 255] as [UInt8] {
            file.replaceSubrange(2..<18, with: segment(transform))
            #expect(try Self.pixels(file) == expected)
        }
    }

    @Test func `lost pixels are damage, and nothing harmless hides them`() throws {
        let file = try Array(Pixels.file("gradient.jpg"))
        let mark = try #require(Data(file).firstRange(of: Data("JFIF\0".utf8)))
        let scan = try #require(Data(file).firstRange(of: Data([0xFF, 0xDA])))
        var odd = file
        odd[mark.upperBound] = 2
        odd.insert(contentsOf: [1, 2], at: scan.lowerBound)
        #expect(try Self.pixels(odd) == Self.pixels(file))
        for whole in [file, odd] {
            for count in stride(from: scan.upperBound + 12, to: whole.count - 12, by: 97) {
                #expect(Self.reason(whole.prefix(count)) == .truncated(.jpeg))
                #expect(Self.reason(whole.prefix(count) + [0xFF, 0xD9]) == .truncated(.jpeg))
                #expect(Self.reason(whole.prefix(count) + [0, 0xFF, 0xD9]) != nil)
            }
        }
    }

    @Test func `four inks become colors`() {
        var row: [UInt8] = [255, 128, 0, 255, 255, 255, 255, 0, 200, 100, 50, 127]
        row.withUnsafeMutableBufferPointer { InkConversion.apply(to: $0) }
        #expect(row == [255, 128, 0, 255, 0, 0, 0, 255, 100, 50, 25, 255])
    }
}
