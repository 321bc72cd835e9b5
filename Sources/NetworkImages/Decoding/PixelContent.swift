import Foundation
import Locking

/// Pixels that are decoded when they are first asked for, once.
///
/// ## Concurrency
/// Call from: any thread but the network thread. Lock: one, also while the pixels are decoded, so
/// that nobody decodes them twice. Calls out on: nothing.
final class PixelContent: Sendable {
    private enum State {
        case encoded(any EncodedPicture, Data, PixelSize)
        case decoded(Data)
        case failed(any Error)
    }

    private let state: Locked<State>

    init(_ picture: any EncodedPicture, _ file: Data, scaled: PixelSize) {
        state = Locked(.encoded(picture, file, scaled))
    }

    init(_ pixels: Data) {
        state = Locked(.decoded(pixels))
    }

    var isDecoded: Bool {
        state.withLock { if case .decoded = $0 { true } else { false } }
    }

    func pixels() throws -> Data {
        try state.withLock { state in
            switch state {
            case .decoded(let pixels): return pixels
            case .failed(let error): throw error
            case .encoded(let picture, let file, let scaled):
                do {
                    let bytes = picture.decodedBytes(scaled: scaled)
                    let pixels = try DecodingBudget.shared.perform(taking: bytes) {
                        try picture.pixels(of: file, scaled: scaled).data()
                    }
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
