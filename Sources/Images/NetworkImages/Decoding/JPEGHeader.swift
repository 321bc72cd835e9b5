/// The segments of a JPEG, read before any of its data are decoded.
struct JPEGHeader: Sendable {
    /// One color component, and its number of samples in one block of the picture.
    struct Component: Sendable {
        var across: Int
        var down: Int
    }

    /// Width and height as they are stored.
    var size = PixelSize(width: 0, height: 0)
    var components: [Component] = []
    var isProgressive = false
    var orientation: ImageOrientation?
    /// How many scans there are, and how many blocks they contain together.
    var scans = 0
    var scanBlocks = 0
    /// Whether the first scan lacks components, so that all coefficients are stored until the last
    /// scan.
    var isInSeveralScans = false

    /// A component's blocks of 8 x 8 samples, padded as the decoder pads them.
    func blocks(of component: Component) -> Int {
        let widest = components.map(\.across).max() ?? 1
        let tallest = components.map(\.down).max() ?? 1
        func padded(_ side: Int, _ own: Int, _ most: Int) -> Int {
            let units = (side + most * 8 - 1) / (most * 8)
            return units * own
        }
        return padded(size.width, component.across, widest)
            .multipliedSaturating(padded(size.height, component.down, tallest))
    }

    /// Bytes of the coefficients that are stored at once: 64 of 2 bytes for each block.
    var coefficientBytes: Int {
        guard isProgressive || isInSeveralScans else { return 0 }
        return components.reduce(0) { $0.addedSaturating(blocks(of: $1).multipliedSaturating(128)) }
    }
}

extension JPEGHeader {
    /// Reads all segments, up to the end of the picture or of the data.
    ///
    /// - Throws: `ImageDecodingError`, or `ImageLimitError` as soon as a limit is exceeded.
    init(_ file: ByteView, _ limits: ImageLimits) throws {
        var offset = 2
        while let marker = try Self.marker(in: file, from: offset) {
            offset = marker.end
            switch marker.code {
            // Markers without a length: restarts, temporary, another start.
            case 0x01, 0xD0...0xD8: continue
            case 0xD9:
                try finish(file)
                return
            default: break
            }
            let length = try file.big16(offset)
            guard length >= 2 else { throw file.damage("a segment shorter than its length") }
            let segment = try file.part(offset + 2, length - 2)
            offset += length
            switch marker.code {
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                try readFrame(segment, code: marker.code, limits)
            case 0xDA:
                try readScan(segment, limits)
            case 0xE1 where orientation == nil:
                orientation = EXIFOrientation.inSegment(segment)
            default: continue
            }
        }
        try finish(file)
    }

    /// The next marker: one or more 0xFF and a code that is not 0. In compressed data 0xFF is
    /// followed by 0.
    private static func marker(
        in file: ByteView, from start: Int
    ) throws -> (code: UInt8, end: Int)? {
        var offset = start
        while let found = file.next(0xFF, from: offset) {
            guard found + 1 < file.count else { return nil }
            let code = try file.byte(found + 1)
            if code != 0, code != 0xFF { return (code, found + 2) }
            offset = found + 1
        }
        return nil
    }

    /// A file that ends before its first scan has no picture; the decoder handles one that ends
    /// later.
    private func finish(_ file: ByteView) throws {
        if components.isEmpty || scans == 0 {
            throw components.isEmpty ? file.damage("it has no frame header") : file.truncation
        }
    }

    private mutating func readFrame(
        _ segment: ByteView, code: UInt8, _ limits: ImageLimits
    ) throws {
        guard components.isEmpty else { throw segment.damage("a second frame header") }
        guard try segment.byte(0) == 8 else { throw segment.damage("it is not of 8 bits") }
        size = PixelSize(width: try segment.big16(3), height: try segment.big16(1))
        guard size.width > 0, size.height > 0 else { throw segment.damage("a side is 0") }
        try limits.check(size)
        let count = Int(try segment.byte(5))
        guard (1...4).contains(count) else { throw segment.damage("\(count) components") }
        components = try (0..<count).map { number in
            let factors = Int(try segment.byte(7 + number * 3))
            let component = Component(across: factors >> 4, down: factors & 15)
            guard (1...4).contains(component.across), (1...4).contains(component.down) else {
                throw segment.damage("samples of \(component.across) x \(component.down)")
            }
            return component
        }
        // Progressive, with Huffman or arithmetic coding.
        isProgressive = code & 3 == 2
    }

    private mutating func readScan(_ segment: ByteView, _ limits: ImageLimits) throws {
        guard !components.isEmpty else { throw segment.damage("a scan before the frame header") }
        let count = Int(try segment.byte(0))
        if scans == 0 { isInSeveralScans = count < components.count }
        scans += 1
        if scans > limits.maximumScans { throw ImageLimitError(.scans, limits.maximumScans) }
        // A scan of one component contains its blocks; the largest is the upper bound.
        let each = components.map(blocks).max() ?? 0
        scanBlocks = scanBlocks.addedSaturating(
            each.multipliedSaturating(min(count, components.count)))
        // One pass over all blocks is what any picture takes, however large.
        if scans > 1, scanBlocks > limits.maximumScanBlocks {
            throw ImageLimitError(.scanBlocks, limits.maximumScanBlocks)
        }
    }
}
