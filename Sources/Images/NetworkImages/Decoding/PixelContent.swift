import Foundation
import Locking

/// Pixels that are decoded once, when they are first needed.
///
/// ## Concurrency
/// Call from: any thread but the network thread. Locks: one while the pixels are decoded, so that
/// they are decoded only once, and inside it one around the state, which is held only briefly.
/// Calls out on: nothing.
final class PixelContent: Sendable {
    private enum State {
        case encoded(EncodedFile, PixelSize)
        case decoded(Data)
        case failed(any Error)
    }

    private let state: Locked<State>
    private let decoding = NSLock()

    init(_ file: EncodedFile, scaled: PixelSize) {
        state = Locked(.encoded(file, scaled))
    }

    init(_ pixels: Data) {
        state = Locked(.decoded(pixels))
    }

    private var now: State { state.withLock { $0 } }

    var isDecoded: Bool { if case .decoded = now { true } else { false } }

    /// The file; nil once the pixels are decoded, or cannot be.
    var file: EncodedFile? { if case .encoded(let file, _) = now { file } else { nil } }

    func pixels() throws -> Data {
        if case .decoded(let pixels) = now { return pixels }
        return try decoding.withLock {
            switch now {
            case .decoded(let pixels): return pixels
            case .failed(let error): throw error
            case .encoded(let file, let scaled):
                do {
                    let pixels = try file.pixels(scaled: scaled)
                    state.withLock { $0 = .decoded(pixels) }
                    return pixels
                } catch {
                    // There may be memory later.
                    if !error.isOutOfMemory { state.withLock { $0 = .failed(error) } }
                    throw error
                }
            }
        }
    }
}

extension Error {
    /// Whether memory was short, so that another attempt may succeed.
    var isOutOfMemory: Bool {
        if case .outOfMemory = (self as? ImageDecodingError)?.reason { true } else { false }
    }
}
