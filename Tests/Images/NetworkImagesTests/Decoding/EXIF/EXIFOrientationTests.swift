import TestSupport

@testable import NetworkImages

@Suite("EXIF's orientation", .timeLimit(.minutes(1)))
struct EXIFOrientationTests {
    private static func orientation(_ bytes: [UInt8]) -> ImageOrientation? {
        bytes.withUnsafeBytes { EXIFOrientation.inTIFF(ByteView($0, .jpeg)) }
    }

    private static func tiff(isBig: Bool, entries: [(tag: Int, type: Int, value: Int)]) -> [UInt8] {
        func number(_ value: Int, _ width: Int) -> [UInt8] {
            let bytes = (0..<width).map { UInt8(value >> ($0 * 8) & 255) }
            return isBig ? bytes.reversed() : bytes
        }
        let head = isBig ? Array("MM\0*".utf8) : Array("II*\0".utf8)
        return head + number(8, 4) + number(entries.count, 2)
            + entries.flatMap { entry in
                let value =
                    entry.type == 3
                    ? number(entry.value, 2) + [0, 0] : number(entry.value, 4)
                return number(entry.tag, 2) + number(entry.type, 2) + number(1, 4) + value
            } + number(0, 4)
    }

    @Test(arguments: ImageOrientation.allCases, [true, false])
    func `all eight, in both byte orders, also behind other entries`(
        _ orientation: ImageOrientation, _ isBig: Bool
    ) {
        let number = orientation.rawValue
        let one = Self.tiff(isBig: isBig, entries: [(0x0112, 3, number)])
        #expect(Self.orientation(one) == orientation)
        let third = Self.tiff(
            isBig: isBig, entries: [(0x0100, 4, 7), (0x010F, 2, 1), (0x0112, 4, number)])
        #expect(Self.orientation(third) == orientation)
    }

    @Test func `wrong data mean no orientation, never an error`() {
        let right = Self.tiff(isBig: true, entries: [(0x0112, 3, 6)])
        for length in 0..<20 { #expect(Self.orientation(Array(right.prefix(length))) == nil) }
        for value in [0, 9, 65535] {
            #expect(Self.orientation(Self.tiff(isBig: false, entries: [(0x0112, 3, value)])) == nil)
        }
        #expect(Self.orientation(Self.tiff(isBig: true, entries: [(0x0112, 2, 6)])) == nil)
        var lost = right
        lost.replaceSubrange(4..<8, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(Self.orientation(lost) == nil)
    }
}
