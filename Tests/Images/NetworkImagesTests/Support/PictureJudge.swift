import Foundation

@testable import NetworkImages

/// Compares what is decoded here with what a case says.
struct PictureJudge {
    let picture: PictureCase
    let file: Data
    let decoder: ImageDecoder

    /// What is wrong; nothing where all is as it should be.
    func faults() -> [String] {
        let (result, seconds) = processorTime { Result { try decoder.image(from: file) } }
        let limit = (picture.seconds ?? 1) * slowness
        let slow = seconds > limit ? ["\(picture.id) took \(seconds) s"] : []
        return slow + faults(of: result).map { "\(picture.id): \($0)" }
    }

    private func faults(of result: Result<DecodedImage, any Error>) -> [String] {
        switch (picture.expect, result) {
        case (.decode, .success(let image)): return faults(of: image)
        case (.decode, .failure(let error)): return ["failed: \(error)"]
        case (.either, _): return []
        case (_, .success(let image)): return ["is \(image), \(picture.expect) was expected"]
        case (.refuse, .failure(let error)):
            let name = ["tiff": "TIFF", "webp": "WebP"][picture.kind]
            let reason = (error as? ImageDecodingError)?.reason
            if let name, reason != .unsupportedFormat(name) { return ["is refused with \(error)"] }
            return []
        case (.error, .failure(let error)), (.limit, .failure(let error)):
            return error is ImageDecodingError || error is ImageLimitError ? [] : ["\(error)"]
        }
    }

    private func faults(of image: DecodedImage) -> [String] {
        var faults: [String] = []
        let size = picture.composedSize ?? [picture.width, picture.height].compactMap(\.self)
        if !size.isEmpty, size != [image.pixelWidth, image.pixelHeight] {
            faults.append("is \(image), expected \(size)")
        }
        if picture.kind == "gif", let frames = picture.frames, frames != image.frameCount {
            faults.append("has \(image.frameCount) frames, expected \(frames)")
        }
        do {
            if picture.entries != nil {
                faults += try entryFaults()
            } else {
                faults += try frameFaults(image)
            }
            faults += try likenessFaults(image) + timeFaults(image)
        } catch {
            faults.append("failed: \(error)")
        }
        return faults
    }

    // MARK: To the byte

    /// The two that agree pass over the transparent gray of a picture of 4 bits, which is white;
    /// ImageMagick sees it as we do (PNG, section 11.3.2.1).
    private static let paintedOnWhite: Set = ["pngsuite/tbbn0g04.png"]

    private func frameFaults(_ image: DecodedImage) throws -> [String] {
        let lists = [
            picture.composedPremultipliedSHA256, picture.premultipliedSHA256,
            picture.premultipliedRoundedSHA256,
        ].compactMap(\.self)
        guard picture.libjpegRGBSHA256 == nil, let count = lists.first?.count else { return [] }
        return try (0..<count).compactMap { number in
            let frame = try image.animation?.frame(at: number) ?? image
            let pixels = try frame.pixels()
            let hash = sha256(Self.paintedOnWhite.contains(picture.id) ? pixels.onWhite : pixels)
            return lists.contains { $0[number] == hash } ? nil : "frame \(number) differs"
        }
    }

    private func entryFaults() throws -> [String] {
        let directory = try file.withUnsafeBytes {
            try ICODirectory(ByteView($0, .ico), decoder.limits)
        }
        return try zip(picture.entries ?? [], directory.entries).enumerated().compactMap { pair in
            let (expected, entry) = pair.element
            guard let hash = expected?.premultipliedSHA256 else { return nil }
            let picture = try file.withUnsafeBytes {
                try ICOPicture(ByteView($0, .ico), entry, of: 1, decoder.limits)
            }
            let pixels = try picture.pixels(of: file, scaled: picture.stored)
            return sha256(pixels.data()) == hash ? nil : "picture \(pair.offset) differs"
        }
    }

    // MARK: By tolerance

    private func likenessFaults(_ image: DecodedImage) throws -> [String] {
        var faults: [String] = []
        let pixels = try image.pixels()
        if let hash = picture.libjpegRGBSHA256, hash != sha256(pixels.withoutAlpha) {
            faults.append("is not to the byte what libjpeg makes of it")
        }
        if let cells = picture.thumbnail, let tolerance = picture.tolerance {
            let off = Thumbnail(pixels, image.pixelSize).difference(from: cells)
            if off > tolerance { faults.append("differs by \(off), \(tolerance) is tolerated") }
        }
        return faults
    }

    private func timeFaults(_ image: DecodedImage) -> [String] {
        guard let delays = picture.delaysMS, let animation = image.animation else { return [] }
        let expected = delays.map { Double($0 < 20 ? 100 : $0) / 1000 }
        let same = zip(expected, animation.durations).allSatisfy { abs($0 - $1) < 0.0001 }
        let plays = picture.loop.map { $0 == 0 ? nil : $0 + 1 } ?? 1
        return (same ? [] : ["is shown for \(animation.durations), expected \(expected)"])
            + (plays == animation.playCount
                ? [] : ["is shown \(animation.playCount ?? 0) times, expected \(plays ?? 0)"])
    }
}
