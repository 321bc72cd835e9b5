import Foundation
import Locking

/// Pixels that are decoded when they are first asked for, once.
///
/// ## Concurrency
/// Call from: any thread but the network thread. Lock: one, also while the pixels are decoded, so
/// that nobody decodes them twice. Calls out on: nothing.
final class PixelContent: Sendable {
    private enum State {
        case encoded(EncodedFile, PixelSize)
        case decoded(Data)
        case failed(any Error)
    }

    private let state: Locked<State>

    init(_ file: EncodedFile, scaled: PixelSize) {
        state = Locked(.encoded(file, scaled))
    }

    init(_ pixels: Data) {
        state = Locked(.decoded(pixels))
    }

    var isDecoded: Bool {
        state.withLock { if case .decoded = $0 { true } else { false } }
    }

    /// The file, as long as nobody has asked for the pixels.
    var file: EncodedFile? {
        state.withLock { if case .encoded(let file, _) = $0 { file } else { nil } }
    }

    func pixels() throws -> Data {
        try state.withLock { state in
            switch state {
            case .decoded(let pixels): return pixels
            case .failed(let error): throw error
            case .encoded(let file, let scaled):
                do {
                    let pixels = try file.pixels(scaled: scaled)
                    state = .decoded(pixels)
                    return pixels
                } catch {
                    state = .failed(error)
                    throw error
                }
            }
        }
    }
}
