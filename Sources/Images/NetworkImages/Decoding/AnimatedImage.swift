import Foundation
import Locking

/// An animated GIF; each frame is decoded when it is requested.
///
/// A frame is drawn over the frames before it. Requesting the frames in order therefore decodes each of them once, and
/// requesting one that precedes the last frame drawn decodes all from the first. If all frames together are small enough,
/// decoded frames are stored. Once a frame could not be decoded, requests for it and all later frames throw that error,
/// without another try. Only a lack of memory is different: the next request tries again.
///
/// ## Concurrency
/// Call from: any thread but the network thread. Lock: one around the canvas, also while a frame is
/// drawn. Calls out on: nothing.
public final class AnimatedImage: Sendable {
    private struct State {
        /// The pixels with the frames drawn so far, for drawing the next one. Nil at first, after the last frame, and
        /// after an error.
        var canvas: GIFCanvas?
        var storedFrames: [Int: DecodedImage] = [:]
        /// The first frame that cannot be decoded, and why.
        var damage: (index: Int, error: any Error)?
    }

    private let picture: GIFPicture
    let file: EncodedFile
    private let scaled: PixelSize
    private let scale: Double
    private let keepsFrames: Bool
    private let state: Locked<State>

    /// Returns nil for a file with one frame, or in a format other than GIF.
    init?(_ file: EncodedFile, scaled: PixelSize, scale: Double) {
        guard let picture = file.picture as? GIFPicture, picture.frameCount > 1 else { return nil }
        self.picture = picture
        self.file = file
        self.scaled = scaled
        self.scale = scale
        keepsFrames =
            scaled.bytes.multipliedSaturating(picture.frameCount) <= file.limits.keptFrameBytes
        state = Locked(State())
    }

    /// The number of frames, at least two.
    public var frameCount: Int { picture.frameCount }

    /// Makes an image with the frames of another one at another scale; both share the canvas and the stored frames.
    init(_ other: AnimatedImage, scale: Double) {
        picture = other.picture
        file = other.file
        scaled = other.scaled
        keepsFrames = other.keepsFrames
        state = other.state
        self.scale = scale
    }

    /// The size in bytes with which a cache counts it: all frames, stored or not, the still image that is shown first, the
    /// canvas and the file.
    var cost: Int {
        scaled.bytes.multipliedSaturating(frameCount + 1).addedSaturating(picture.canvasBytes)
            .addedSaturating(file.bytes.count)
    }

    /// How long each frame is shown, in seconds; a delay below 0.02 s in the file is 0.1 s, as in
    /// browsers.
    public var durations: [Double] { picture.frames.map(\.duration) }

    /// How many times the animation is played; nil if it is repeated without end.
    public var playCount: Int? {
        switch picture.loopCount {
        case nil: 1
        case 0: nil
        // The number in the file is that of the repetitions, without the first time.
        case let count?: count + 1
        }
    }

    /// Returns a frame. If it is not stored, the frames from the last one drawn up to it are decoded. If that is not
    /// possible, as after a later frame, all frames from the first are decoded again.
    ///
    /// - Parameter index: 0 to `frameCount` - 1.
    /// - Throws: `ImageDecodingError` if the frame or one before it cannot be decoded, or if there is no such frame;
    ///   the reason is `.damaged` then too, although the file is sound.
    public func frame(at index: Int) throws -> DecodedImage {
        guard (0..<frameCount).contains(index) else {
            throw ImageDecodingError(
                .damaged(.gif, "frame \(index) was requested, and it has \(frameCount) frames"))
        }
        return try state.withLock { state in
            if let frame = state.storedFrames[index] { return frame.with(scale: scale) }
            if let damage = state.damage, damage.index <= index { throw damage.error }
            let bytes = picture.decodedBytes(scaled: scaled)
            let frame = try DecodingBudget.shared.perform(taking: bytes) {
                try draw(index, &state)
            }
            if keepsFrames { state.storedFrames[index] = frame }
            return frame
        }
    }

    private func draw(_ index: Int, _ state: inout State) throws -> DecodedImage {
        // Removed first, so that a canvas on which a frame was drawn in part is not used again after an error.
        var canvas = state.canvas
        state.canvas = nil
        if canvas.map({ $0.drawn > index + 1 }) ?? true { canvas = try GIFCanvas(picture) }
        guard let canvas else { throw ImageDecodingError(.truncated(.gif)) }
        try file.bytes.withUnsafeBytes { bytes in
            while canvas.drawn <= index {
                do {
                    try canvas.drawNext(ByteView(bytes, .gif))
                } catch {
                    // When memory was short, a later try may succeed.
                    if !error.isOutOfMemory { state.damage = (canvas.drawn, error) }
                    throw error
                }
            }
        }
        var pixels = try GIFPicture.shown(canvas.pixels, scaled)
        // Nothing more is drawn on the canvas after the last frame, so its pixels are returned without a copy.
        if index < frameCount - 1 {
            if pixels === canvas.pixels { pixels = try pixels.copy() }
            state.canvas = canvas
        }
        return DecodedImage(
            pixelSize: scaled, originalPixelSize: picture.stored, scale: scale, format: .gif,
            animation: nil,
            content: PixelContent(pixels.data()))
    }
}
