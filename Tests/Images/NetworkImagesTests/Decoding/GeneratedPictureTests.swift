import Foundation
import Testing

@testable import DrawnPictures
@testable import NetworkImages

@Suite("Pictures that code draws", .timeLimit(.minutes(1)))
struct GeneratedPictureTests {
    @Test func `each is the same each time, has a name of its own, and decodes to its size`() throws
    {
        let pictures = try GeneratedPicture.all()
        #expect(pictures.map(\.data) == (try GeneratedPicture.all().map(\.data)))
        #expect(Set(pictures.map(\.name)).count == pictures.count && pictures.count == 14)
        for picture in pictures {
            let image = try ImageDecoder().image(from: picture.data)
            #expect(image.pixelSize == picture.pixelSize, "\(picture.name)")
        }
    }

    @Test(arguments: 1...8)
    func `the eight orientations look alike`(_ number: Int) throws {
        let drawing = Drawing.letter(PixelSize(width: 100, height: 120))
        let image = try ImageDecoder().image(from: Pixels.file("orientation-\(number).jpg"))
        let off = zip(try image.pixels(), drawing.pixels).map { abs(Int($0) - Int($1)) }
        #expect(off.reduce(0, +) < off.count * 2)
    }

    @Test func `what is not compressed with loss is as it was drawn`() throws {
        let size = PixelSize(width: 160, height: 120)
        let drawings = [
            "gradient.png": Drawing.gradient(size), "fading.png": Drawing.fading(size),
            "squares.bmp": Drawing.squares(size, side: 20),
            "icon.ico": Drawing.letter(PixelSize(width: 48, height: 48)),
        ]
        for (name, drawing) in drawings {
            let image = try ImageDecoder().image(from: Pixels.file(name))
            #expect(Array(try image.pixels()) == drawing.premultiplied, "\(name)")
        }
    }
}
