import Foundation

extension DecodedImage {
    /// The same picture, no larger than a size: it keeps its proportions, and nothing is made larger.
    ///
    /// A picture whose pixels were not asked for yet is decoded at the new size, so that the full one
    /// never exists; so are an animation's frames. Of one that is decoded each new pixel is the mean of
    /// those that it covers.
    ///
    /// It takes the calling thread for as long as that takes.
    ///
    /// - Throws: as `pixels()`; `ImageLimitError` where decoding takes more at that size than at the
    ///   full one, and too much.
    public func fitting(_ size: PixelSize) throws -> DecodedImage {
        let target = pixelSize.fitting(size)
        guard target != pixelSize else { return self }
        guard let file = animation?.file ?? content.file else {
            return DecodedImage(
                pixelSize: target, originalPixelSize: originalPixelSize, scale: scale,
                format: format, animation: nil, content: PixelContent(try smaller(target)))
        }
        let image = try file.image(scaled: file.picture.scaled(toFit: size), scale: scale)
        _ = try image.pixels()
        return image
    }

    private func smaller(_ target: PixelSize) throws -> Data {
        let pixels = try pixels()
        return try DecodingBudget.shared.perform(taking: target.bytes) {
            // They are premultiplied already.
            var writer = try RowWriter(from: pixelSize, to: target, .up, hasAlpha: false)
            let row = try PixelBuffer(PixelSize(width: pixelWidth, height: 1))
            for number in 0..<pixelHeight {
                let first = pixels.startIndex + number * row.stride
                pixels.copyBytes(to: row.all, from: first..<first + row.stride)
                writer.take(row.all)
            }
            return writer.finish().data()
        }
    }
}
