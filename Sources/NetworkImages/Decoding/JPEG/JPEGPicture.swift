import CTurboJPEG
import Foundation

/// A JPEG, decoded by TurboJPEG.
struct JPEGPicture: EncodedPicture {
    let header: JPEGHeader
    let format = ImageFormat.jpeg
    var stored: PixelSize { header.size }
    var orientation: ImageOrientation { header.orientation ?? .up }

    init(_ file: ByteView, _ limits: ImageLimits) throws {
        header = try JPEGHeader(file, limits)
    }

    /// The smallest size that the decoder itself can make of the picture and that is not below the
    /// one asked for. Memory falls with its square.
    func made(for scaled: PixelSize) -> PixelSize {
        var count: Int32 = 0
        guard scaled != stored, let factors = tjGetScalingFactors(&count) else { return stored }
        let sizes = (0..<Int(count)).map { number in
            let factor = factors[number]
            let (top, bottom) = (Int(factor.num), Int(factor.denom))
            return PixelSize(
                width: (stored.width * top + bottom - 1) / bottom,
                height: (stored.height * top + bottom - 1) / bottom)
        }
        let enough = sizes.filter {
            $0.width <= stored.width && $0.width >= scaled.width && $0.height >= scaled.height
        }
        return enough.min { $0.bytes < $1.bytes } ?? stored
    }

    func decodedBytes(scaled: PixelSize) -> Int {
        let made = made(for: scaled)
        let isWhole = made == scaled && orientation == .up
        return made.bytes.plusAtMost(isWhole ? 0 : scaled.bytes)
            .plusAtMost(header.coefficientBytes)
    }

    func pixels(of file: Data, scaled: PixelSize) throws -> PixelBuffer {
        let buffer = try file.withUnsafeBytes { bytes in
            try ByteView(bytes, .jpeg).withBytes(decoder(of: made(for: scaled)))
        }
        return try buffer.shown(scaled: scaled, orientation, hasAlpha: false)
    }

    // MARK: TurboJPEG

    /// Stops at what the decoder would only warn of: the data end early, or are broken.
    private static let flags = TJFLAG_STOPONWARNING | TJFLAG_LIMITSCANS | TJFLAG_ACCURATEDCT

    private func decoder(
        of size: PixelSize
    ) -> (UnsafePointer<UInt8>, Int) throws -> PixelBuffer {
        { start, count in
            guard let handle = tjInitDecompress() else {
                throw ImageDecodingError(.outOfMemory(size.bytes))
            }
            defer { tjDestroy(handle) }
            let hasInks = try self.hasInks(handle, start, count)
            let buffer = try PixelBuffer(size)
            let format = hasInks ? TJPF_CMYK : TJPF_RGBA
            let code = tjDecompress2(
                handle, start, UInt(count), buffer.all.baseAddress, Int32(size.width),
                Int32(buffer.stride), Int32(size.height), Int32(format.rawValue), Self.flags)
            if code != 0 { throw Self.error(handle) }
            if hasInks { InkConversion.apply(to: buffer.all) }
            return buffer
        }
    }

    /// Whether the colors are four inks; the decoder's own view of the size is compared too.
    ///
    /// The function fails for combinations of samples that it has no name for, and still says the
    /// rest; decoding them works.
    private func hasInks(
        _ handle: tjhandle, _ start: UnsafePointer<UInt8>, _ count: Int
    ) throws -> Bool {
        var (width, height, samples, colors): (Int32, Int32, Int32, Int32) = (0, 0, -1, -1)
        let code = tjDecompressHeader3(
            handle, start, UInt(count), &width, &height, &samples, &colors)
        guard width == stored.width, height == stored.height else {
            throw code != 0
                ? Self.error(handle)
                : ImageDecodingError(.damaged(.jpeg, "its headers contradict each other"))
        }
        return colors == Int32(TJCS_CMYK.rawValue) || colors == Int32(TJCS_YCCK.rawValue)
    }

    private static func error(_ handle: tjhandle) -> ImageDecodingError {
        let text = tjGetErrorStr2(handle).map { String(cString: $0) } ?? ""
        if text.contains("remature end") { return ImageDecodingError(.truncated(.jpeg)) }
        return ImageDecodingError(.damaged(.jpeg, text))
    }
}
