import Foundation
import Locking

/// Pixels that are decoded when they are first asked for, once.
///
/// ## Concurrency
/// Call from: any thread but the network thread. Locks: one while the pixels are decoded, so that
/// nobody decodes them twice, and in it one around the state, which is never held for long. Calls
/// out on: nothing.
final class PixelContent: Sendable {
    private enum State {
        case encoded(EncodedFile, PixelSize)
        case decoded(Data)
        case failed(any Error)
    }

    private let state: Locked<State>
    private let decoding = Locked(())

    init(_ file: EncodedFile, scaled: PixelSize) {
        state = Locked(.encoded(file, scaled))
    }

    init(_ pixels: Data) {
        state = Locked(.decoded(pixels))
    }

    private var now: State { state.withLock { $0 } }

    var isDecoded: Bool { if case .decoded = now { true } else { false } }

    /// The file, as long as nobody has decoded the pixels.
    var file: EncodedFile? { if case .encoded(let file, _) = now { file } else { nil } }

    func pixels() throws -> Data {
        if case .decoded(let pixels) = now { return pixels }
        return try decoding.withLock { _ in
            switch now {
            case .decoded(let pixels): return pixels
            case .failed(let error): throw error
            case .encoded(let file, let scaled):
                do {
                    let pixels = try file.pixels(scaled: scaled)
                    state.withLock { $0 = .decoded(pixels) }
                    return pixels
                } catch {
                    // Later there may be memory.
                    if !error.isOfMemory { state.withLock { $0 = .failed(error) } }
                    throw error
                }
            }
        }
    }
}

extension Error {
    /// Whether another try may find memory.
    var isOfMemory: Bool {
        if case .outOfMemory = (self as? ImageDecodingError)?.reason { true } else { false }
    }
}
