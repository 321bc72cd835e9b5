import Foundation

/// An icon file, of which the largest picture is decoded.
struct ICOPicture: EncodedPicture {
    let format = ImageFormat.ico
    let frameCount: Int
    private let picture: any EncodedPicture
    private let start: Int
    private let length: Int

    var stored: PixelSize { picture.stored }
    var orientation: ImageOrientation { picture.orientation }

    init(_ file: ByteView, _ limits: ImageLimits) throws {
        let directory = try ICODirectory(file, limits)
        try self.init(file, directory.best, of: directory.entries.count, limits)
    }

    /// One of the pictures: a PNG or a BMP by its first bytes, never another icon.
    init(
        _ file: ByteView, _ entry: ICODirectory.Entry, of count: Int, _ limits: ImageLimits
    ) throws {
        frameCount = count
        start = entry.start
        length = min(entry.length, max(0, file.count - entry.start))
        let part = try file.part(start, length)
        picture =
            part.starts(with: "PNG\r\n", at: 1)
            ? try PNGPicture(part, limits) : try ICOBitmap(part, limits)
    }

    func decodedBytes(scaled: PixelSize) -> Int { picture.decodedBytes(scaled: scaled) }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        guard start <= file.count, length <= file.count - start else {
            throw ImageDecodingError(.truncated(.ico))
        }
        let first = file.startIndex + start
        return try picture.pixels(of: file[first..<first + length], scaled: scaled)
    }
}
