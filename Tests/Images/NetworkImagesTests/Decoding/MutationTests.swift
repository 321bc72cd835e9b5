import DrawnPictures
import Foundation
import ProcessUse
import TestSupport
import Testing

@testable import NetworkImages

/// `IMAGE_MUTATIONS` files, 2,000 unless it says otherwise; `IMAGE_MUTATIONS_FROM` is the first's
/// number.
@Suite("Mutated pictures", .timeLimit(.minutes(60)), .serialized)
struct MutationTests {
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private static let bytes = 32 << 20

    private static var decoder: ImageDecoder {
        var decoder = ImageDecoder()
        decoder.limits.maximumPixels = 4_000_000
        decoder.limits.maximumDecodedBytes = bytes
        return decoder
    }

    /// The pictures that are changed; large ones would only take their time.
    private static func seeds() throws -> [Data] {
        let collection = try PictureCollection.largest.get()
        return try collection.cases.map(collection.data).filter { $0.count <= 6000 }
            + GeneratedPicture.all().map(\.data).filter { $0.count <= 6000 }
    }

    @Test
    func `a mutated file is an error or a picture within the limits, and takes less than a second`()
        throws
    {
        let seeds = try Self.seeds()
        let first = Self.number("IMAGE_MUTATIONS_FROM") ?? 0
        let count = Self.number("IMAGE_MUTATIONS") ?? 2000
        let before = PeakMemory.isMeaningful ? try PeakMemory.reset() : 0
        var (pictures, slowest) = (0, (0.0, 0))
        for number in first..<first + count {
            let (image, seconds) = try processorTime { try Self.decode(number, of: seeds) }
            if let image {
                pictures += 1
                let isWithin = image.pixelSize.bytes <= Self.bytes
                if !isWithin { Issue.record("\(number) is \(image)") }
            }
            if seconds > slowest.0 { slowest = (seconds, number) }
            if number % 5000 == 4999 { print("mutations \(number + 1), \(pictures) pictures") }
        }
        print("\(count) mutations, \(pictures) pictures, number \(slowest.1) took \(slowest.0) s")
        #expect(slowest.0 < 1 * slowness, "number \(slowest.1)")
        if PeakMemory.isMeaningful {
            // What the pixels may take, and the test's own.
            #expect(try PeakMemory.now() - before < Self.bytes * 2)
        }
    }

    /// The picture, and all that can be asked of it; nil where it is none.
    private static func decode(_ number: Int, of seeds: [Data]) throws -> DecodedImage? {
        var mutation = Mutation(number, of: seeds)
        var decoder = self.decoder
        decoder.targetPixelSize = mutation.targetSide().map { PixelSize(width: $0, height: $0) }
        do {
            let image = try decoder.image(from: Data(mutation.file))
            if let animation = image.animation {
                _ = try animation.frame(at: min(animation.frameCount - 1, 20))
                _ = try animation.frame(at: 0)
            }
            return image
        } catch is ImageDecodingError {
            return nil
        } catch is ImageLimitError {
            return nil
        }
    }
}
