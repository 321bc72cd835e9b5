import Foundation

extension DecodedImage {
    /// The same picture scaled down to fit into a size, with its proportions; it is never enlarged.
    ///
    /// A picture that is not decoded yet is decoded at the new size, so that the full one never
    /// exists; so are an animation's frames. Of a decoded picture each new pixel is the mean of
    /// those that it covers.
    ///
    /// It blocks the calling thread while it scales.
    ///
    /// - Throws: as `pixels()`; `ImageLimitError` where decoding at that size takes more memory
    ///   than at full size, and more than allowed.
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
