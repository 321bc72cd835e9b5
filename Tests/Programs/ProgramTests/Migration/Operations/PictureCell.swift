import Foundation
import NetworkImages

final class PictureCell: ImageDisplaying {
    let imageLoad = ImageLoad()
    var image: DecodedImage?

    func show(
        _ url: URL, gray: DecodedImage?, _ completion: @escaping @MainActor ((any Error)?) -> Void
    ) {
        let imageView = self
        // snippet: begin
        imageView.setImage(with: url, placeholder: gray) { _, _, image in
            imageView.image = image
            completion(nil)
        } failure: { _, _, error in
            completion(error)
        }
        // snippet: end
    }
}
