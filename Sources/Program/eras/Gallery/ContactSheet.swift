import NetworkImages

/// Draws the tiles of a gallery on one sheet.
struct ContactSheet {
    let tiles: [GalleryTile]
    let layout: SheetLayout

    private static let paper = Canvas.Color(0xfcfbf8)
    private static let card = Canvas.Color(0xffffff)
    private static let line = Canvas.Color(0xe4e1d9)
    private static let ink = Canvas.Color(0x1c2025)
    private static let soft = Canvas.Color(0x5a6068)
    private static let bad = Canvas.Color(0xb4163a)
    private static let badCard = Canvas.Color(0xfcf0f1)
    private static let badLine = Canvas.Color(0xe9c4ca)
    /// The squares that shine through where an image is not opaque.
    private static let shade = Canvas.Color(0xf0eee9)
    private static let shadeSide = 8
    /// From a square's edge to the text in it.
    private static let padding = 10

    /// The sheet.
    ///
    /// - Throws: `ImageDecodingError` where there is no memory, or an image's pixels cannot be had.
    func image() throws -> DecodedImage {
        var canvas = Canvas(layout.size, Self.paper)
        let width = layout.size.width - SheetLayout.margin * 2
        canvas.write(
            SheetLayout.headingFont.cut(tiles.summary, to: width), x: SheetLayout.margin,
            y: SheetLayout.margin, SheetLayout.headingFont, Self.ink)
        for (index, tile) in tiles.enumerated() {
            let square = layout.square(index)
            switch tile.content {
            case .image(let image, _): try draw(image, in: square, &canvas)
            case .problem(let sentence): draw(sentence, in: square, &canvas)
            }
            writeCaption(of: tile, under: square, &canvas)
        }
        guard let image = canvas.image else {
            throw SheetError.noMemory
        }
        return image
    }

    private func draw(_ image: DecodedImage, in square: Box, _ canvas: inout Canvas) throws {
        canvas.fill(square, Self.card)
        canvas.frame(square, Self.line)
        let box = Box(
            x: square.x + (square.width - image.pixelWidth) / 2,
            y: square.y + (square.height - image.pixelHeight) / 2,
            width: image.pixelWidth, height: image.pixelHeight)
        shade(box, &canvas)
        try canvas.draw(image, x: box.x, y: box.y)
    }

    private func shade(_ box: Box, _ canvas: inout Canvas) {
        for y in stride(from: 0, to: box.height, by: Self.shadeSide) {
            for x in stride(from: 0, to: box.width, by: Self.shadeSide)
            where (x + y) / Self.shadeSide % 2 == 1 {
                canvas.fill(
                    Box(
                        x: box.x + x, y: box.y + y, width: min(Self.shadeSide, box.width - x),
                        height: min(Self.shadeSide, box.height - y)), Self.shade)
            }
        }
    }

    private func draw(_ problem: String, in square: Box, _ canvas: inout Canvas) {
        canvas.fill(square, Self.badCard)
        canvas.frame(square, Self.badLine)
        let font = SheetLayout.nameFont
        let room = square.height - Self.padding * 2
        let lines = Self.lines(
            of: problem, width: square.width - Self.padding * 2, font,
            limit: max(1, (room - font.height) / font.lineHeight + 1))
        for (number, line) in lines.enumerated() {
            canvas.write(
                line, x: square.x + Self.padding,
                y: square.y + Self.padding + 2 + number * font.lineHeight, font, Self.bad)
        }
    }

    private func writeCaption(of tile: GalleryTile, under square: Box, _ canvas: inout Canvas) {
        let y = square.y + square.height + SheetLayout.textGap
        canvas.write(
            SheetLayout.nameFont.cutInside(tile.name, to: square.width), x: square.x + 1, y: y,
            SheetLayout.nameFont, tile.problem == nil ? Self.ink : Self.bad)
        canvas.write(
            SheetLayout.detailFont.cut(tile.details, to: square.width), x: square.x + 1,
            y: y + SheetLayout.nameFont.lineHeight, SheetLayout.detailFont, Self.soft)
    }

    /// The words in lines that fit, a long word in several; what does not fit ends in an ellipsis.
    static func lines(
        of text: String, width: Int, _ font: StrokeFont, limit: Int
    ) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            var rest = String(word)
            if let last = lines.last, !last.isEmpty {
                if font.width(last + " " + rest) <= width {
                    lines[lines.count - 1] += " " + rest
                    continue
                }
                lines.append("")
            }
            while font.width(rest) > width, rest.count > 1 {
                let taken = max(1, font.count(of: rest, in: width))
                lines[lines.count - 1] = String(rest.prefix(taken))
                rest = String(rest.dropFirst(taken))
                lines.append("")
            }
            lines[lines.count - 1] = rest
        }
        guard lines.count > limit else { return lines }
        let last = font.cut(lines[(limit - 1)...].joined(separator: " "), to: width)
        return lines.prefix(limit - 1) + [last]
    }
}

/// Why a sheet cannot be drawn.
enum SheetError: Error, Equatable, CustomStringConvertible {
    case noMemory
    case tooLarge(PixelSize)

    var description: String {
        switch self {
        case .noMemory:
            "There is no memory for the sheet; use a smaller --size, or fewer addresses."
        case .tooLarge(let size):
            "The sheet would have \(size.width) x \(size.height) pixels, which is too large; use a "
                + "smaller --size, fewer or more --columns, or fewer addresses."
        }
    }
}
