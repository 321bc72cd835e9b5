import Foundation
import Locking

/// The frames of an animation, each decoded when it is requested.
///
/// Frames build on each other: in order each costs one step, but a frame before the last one drawn
/// is decoded again from the beginning. If all frames together are small enough, each is kept once it is
/// decoded. After a damaged frame was found, it and later ones fail without another try.
///
/// ## Concurrency
/// Call from: any thread but the network thread. Lock: one around the canvas, also while a frame is
/// drawn. Calls out on: nothing.
public final class AnimatedImage: Sendable {
    private struct State {
        var canvas: GIFCanvas?
        var kept: [Int: DecodedImage] = [:]
        /// The first frame that cannot be decoded, and why.
        var damage: (index: Int, error: any Error)?
    }

    private let picture: GIFPicture
    let file: EncodedFile
    private let scaled: PixelSize
    private let scale: Double
    private let keepsFrames: Bool
    private let state: Locked<State>

    /// Nil for a file of one frame, or of a format without frames.
    init?(_ file: EncodedFile, scaled: PixelSize, scale: Double) {
        guard let picture = file.picture as? GIFPicture, picture.frameCount > 1 else { return nil }
        self.picture = picture
        self.file = file
        self.scaled = scaled
        self.scale = scale
        keepsFrames =
            scaled.bytes.timesAtMost(picture.frameCount) <= file.limits.keptFrameBytes
        state = Locked(State())
    }

    /// The number of frames, more than one.
    public var frameCount: Int { picture.frameCount }

    /// The same frames at another scale; canvas and stored frames are shared.
    init(_ other: AnimatedImage, scale: Double) {
        picture = other.picture
        file = other.file
        scaled = other.scaled
        keepsFrames = other.keepsFrames
        state = other.state
        self.scale = scale
    }

    /// Bytes that a cache counts: those of all frames, whether kept or not, of the picture that is shown first, of the
    /// canvas that frames are drawn on, and of the file.
    var cost: Int {
        scaled.bytes.timesAtMost(frameCount + 1).plusAtMost(picture.canvasBytes)
            .plusAtMost(file.bytes.count)
    }

    /// How long each frame is shown, in seconds; a delay below 0.02 s in the file is 0.1 s, as in
    /// browsers.
    public var durations: [Double] { picture.gif.frames.map(\.duration) }

    /// How often the animation is played; nil for ever.
    public var playCount: Int? {
        switch picture.gif.loopCount {
        case nil: 1
        case 0: nil
        // The file's number counts repetitions.
        case let count?: count + 1
        }
    }

    /// A frame, drawn over the frames before it.
    ///
    /// - Parameter index: 0 to `frameCount` - 1.
    /// - Throws: `ImageDecodingError` where the frame or one before it is damaged, or there is no
    ///   such frame.
    public func frame(at index: Int) throws -> DecodedImage {
        guard (0..<frameCount).contains(index) else {
            throw ImageDecodingError(.damaged(.gif, "it has no frame \(index)"))
        }
        return try state.withLock { state in
            if let frame = state.kept[index] { return frame.with(scale: scale) }
            if let damage = state.damage, damage.index <= index { throw damage.error }
            let bytes = picture.decodedBytes(scaled: scaled)
            let frame = try DecodingBudget.shared.perform(taking: bytes) {
                try draw(index, &state)
            }
            if keepsFrames { state.kept[index] = frame }
            return frame
        }
    }

    private func draw(_ index: Int, _ state: inout State) throws -> DecodedImage {
        // A canvas that an error left incomplete is not used again.
        var canvas = state.canvas
        state.canvas = nil
        if canvas.map({ $0.drawn > index + 1 }) ?? true { canvas = try GIFCanvas(picture.gif) }
        guard let canvas else { throw ImageDecodingError(.truncated(.gif)) }
        try file.bytes.withUnsafeBytes { bytes in
            while canvas.drawn <= index {
                do {
                    try canvas.drawNext(ByteView(bytes, .gif))
                } catch {
                    // A lack of memory is no damage: a later try may succeed.
                    if !error.isOutOfMemory { state.damage = (canvas.drawn, error) }
                    throw error
                }
            }
        }
        var pixels = try GIFPicture.shown(canvas.pixels, scaled)
        // Nothing is drawn after the last frame, so the canvas itself is returned.
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
