import NetworkImages
import TestSupport

@testable import eras

/// The sheet was looked at by eye; `UPDATE_DOCUMENTATION=1` stores it anew, to be looked at again.
@Suite("The contact sheet", .timeLimit(.minutes(2)))
struct ContactSheetTests {
    private static let stored = packageFolder.appendingPathComponent(
        "Tests/Program/ErasTests/Gallery/sheet.png")
    private static let side = 96

    /// Two that cannot be shown come last.
    private func sheet(
        _ room: GalleryRoom
    ) async throws -> (image: DecodedImage, layout: SheetLayout, tiles: [GalleryTile]) {
        let addresses =
            try GeneratedPicture.all().map { room.address($0.name) }
            + [room.address("/status/404"), room.address("/ok")]
        let layout = SheetLayout(count: addresses.count, side: Self.side)
        let tiles = try await room.load(addresses, settings: .init(side: layout.imageSide)).tiles
        return (try ContactSheet(tiles: tiles, layout: layout).image(), layout, tiles)
    }

    /// A part of an image, R G B A of each pixel.
    private func pixels(_ box: Box, of image: DecodedImage) throws -> [UInt8] {
        let all = try image.pixels()
        return (box.y..<box.y + box.height).flatMap { row in
            let start = (row * image.pixelWidth + box.x) * 4
            return all[start..<start + box.width * 4]
        }
    }

    /// The mean difference of two pictures' bytes, and how many of a thousand are far off.
    private func difference(
        _ one: some Collection<UInt8>, _ other: some Collection<UInt8>
    ) -> (mean: Double, far: Double) {
        var (sum, far) = (0, 0)
        for (one, other) in zip(one, other) {
            let off = abs(Int(one) - Int(other))
            sum += off
            far += off > 24 ? 1 : 0
        }
        let count = Double(max(one.count, 1))
        return (Double(sum) / count, Double(far) * 1_000 / count)
    }

    @Test func `it looks as it did when it was looked at`() async throws {
        let (image, _, _) = try await sheet(GalleryRoom())
        if ProcessInfo.processInfo.environment["UPDATE_DOCUMENTATION"] != nil {
            try PNGEncoder().data(for: image).write(to: Self.stored)
        }
        let expected = try ImageDecoder().image(from: Data(contentsOf: Self.stored))
        #expect(image.pixelSize == expected.pixelSize)
        let (mean, far) = difference(try image.pixels(), try expected.pixels())
        #expect(mean < 0.5 && far < 2, "mean \(mean), \(far) of a thousand")
    }

    @Test func `the eight orientations are one picture`() async throws {
        let (image, layout, tiles) = try await sheet(GalleryRoom())
        let turned = tiles.indices.filter { tiles[$0].name.hasPrefix("orientation-") }
        #expect(turned.count == 8)
        let first = try pixels(layout.square(turned[0]), of: image)
        for index in turned {
            let (mean, far) = difference(try pixels(layout.square(index), of: image), first)
            #expect(mean < 2 && far < 20, "\(tiles[index].name): mean \(mean), far \(far)")
        }
        // Not because nothing is there.
        #expect(Set(first).count > 20)
    }

    @Test func `a gradient has its colors where they belong, and what fades lets paper through`()
        async throws
    {
        let (image, layout, tiles) = try await sheet(GalleryRoom())
        func color(_ name: String, _ across: Double, _ down: Double) throws -> [Int] {
            let index = try #require(tiles.firstIndex { $0.name == name })
            let square = layout.square(index)
            // The picture, 4 to 3, lies in the middle of its square.
            let width = Double(layout.imageSide)
            let height = width * 3 / 4
            let box = Box(
                x: square.x + SheetLayout.inset + Int(across * (width - 1)),
                y: square.y + Int((Double(Self.side) - height) / 2 + down * (height - 1)),
                width: 1, height: 1)
            return try pixels(box, of: image).prefix(3).map(Int.init)
        }
        for name in ["gradient.png", "gradient.jpg"] {
            for (across, down) in [(0.1, 0.1), (0.9, 0.1), (0.1, 0.9), (0.9, 0.9), (0.5, 0.5)] {
                let expected = [across, down, 1 - across].map { Int($0 * 255) }
                let found = try color(name, across, down)
                #expect(
                    zip(expected, found).allSatisfy { abs($0 - $1) < 10 },
                    "\(name) at \(across), \(down): \(found)")
            }
        }
        #expect(try color("fading.png", 0.5, 0.02)[2] < 80)
        #expect(try color("fading.png", 0.5, 0.98)[2] > 220)
    }

    @Test func `what cannot be shown is a tile of its own color that has text`() async throws {
        let (image, layout, tiles) = try await sheet(GalleryRoom())
        for index in tiles.indices where tiles[index].problem != nil {
            let square = try pixels(layout.square(index), of: image)
            let dark = stride(from: 0, to: square.count, by: 4).filter { square[$0 + 1] < 60 }
            #expect(dark.count > 50)
        }
        #expect(tiles.compactMap(\.problem).count == 2)
    }

    @Test func `long words are broken, and what does not fit ends in an ellipsis`() {
        let font = SheetLayout.nameFont
        let text = "The server " + String(repeating: "long", count: 30) + " and so on and on"
        let lines = ContactSheet.lines(of: text, width: 100, font, limit: 20)
        #expect(lines.allSatisfy { font.width($0) <= 100 })
        #expect(
            lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
        let few = ContactSheet.lines(of: text, width: 100, font, limit: 3)
        #expect(few.count == 3 && few[2].hasSuffix("…") && font.width(few[2]) <= 100)
        #expect(ContactSheet.lines(of: "", width: 100, font, limit: 3) == [""])
        #expect(ContactSheet.lines(of: "one two", width: 1_000, font, limit: 3) == ["one two"])
    }
}
