import DrawnPictures
import Foundation
import Testing

@testable import NetworkImages

@Suite("Formats by their first bytes", .timeLimit(.minutes(1)))
struct ImageFormatTests {
    @Test func `a format shows in the first bytes, whatever the name`() throws {
        for picture in try GeneratedPicture.all() {
            let format = try ImageFormat(of: picture.data)
            #expect(
                picture.contentType.hasSuffix(format == .ico ? "icon" : format.name.lowercased()))
        }
    }

    @Test(
        arguments: [
            ("TIFF", [0x49, 0x49, 0x2A, 0, 8, 0, 0, 0]),
            ("TIFF", [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8]),
            ("WebP", Array("RIFF....WEBPVP8 ".utf8)), ("CUR", [0, 0, 2, 0, 1, 0]),
            ("AVIF", Array("\0\0\0 ftypavif".utf8)), ("HEIF", Array("\0\0\0 ftypheic".utf8)),
            ("PNM", Array("P6\n1 1".utf8)), ("PSD", Array("8BPS".utf8)),
        ] as [(String, [UInt8])])
    func `what is known and not decoded is refused by its name`(
        _ name: String, _ bytes: [UInt8]
    ) throws {
        let error = #expect(throws: ImageDecodingError.self) {
            try ImageDecoder().image(from: Data(bytes))
        }
        #expect(error?.reason == .unsupportedFormat(name))
        #expect(error?.localizedDescription.contains(name) == true)
        #expect(error.map { ($0 as NSError).code } == 2)
    }

    @Test(arguments: ["", "G", "GIF88a", "<html>", "RIFF....WAVE", "\u{FF}\u{D8}"])
    func `anything else is no image`(_ text: String) {
        #expect(throws: ImageDecodingError(.unknownFormat)) {
            try ImageDecoder().image(from: Data(text.utf8))
        }
    }

    @Test func `no read is past the end, wherever it begins`() {
        let bytes: [UInt8] = [1, 2, 3, 4]
        bytes.withUnsafeBytes { raw in
            let view = ByteView(raw, .gif)
            #expect((try? view.little32(0)) == 0x0403_0201)
            #expect((try? view.big32(0)) == 0x0102_0304)
            let end = ImageDecodingError(.truncated(.gif))
            for place in [-1, 1, 4, Int.max, Int.min] {
                #expect(throws: end) { try view.little32(place) }
                #expect(throws: end) { try view.part(place, 4) }
                #expect(!view.starts(with: "\u{1}\u{2}\u{3}\u{4}", at: place))
            }
            #expect(throws: end) { try view.part(2, Int.max) }
            #expect(view.next(3, from: 0) == 2 && view.next(3, from: 3) == nil)
            #expect(view.next(3, from: Int.max) == nil && view.next(3, from: -1) == nil)
        }
    }
}
