import Foundation
import LoopbackServer
import NetworkImages

extension LoopbackServer {
    /// Adds a gray PNG, which its width tells from others.
    ///
    /// - Parameters:
    ///   - gate: where the response waits; nil for nowhere.
    ///   - control: the field `Cache-Control`.
    func addPicture(
        _ path: String, width: Int, gate: String? = nil, control: String = "no-store"
    ) {
        let size = PixelSize(width: width, height: 8)
        let gray = Data(repeating: 255, count: width * 8 * 4)
        let file = DecodedImage(pixels: gray, size: size).flatMap {
            try? PNGEncoder().data(for: $0)
        }
        add(path) { _ in
            let picture = ScriptedResponse.data(
                file ?? Data(), headers: [("Cache-Control", control)], contentType: "image/png")
            return gate.map { picture.after(.wait(gate: $0)) } ?? picture
        }
    }
}
