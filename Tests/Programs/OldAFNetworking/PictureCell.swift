import AFNetworking

class PictureCell: ImageDisplaying {
    let imageLoad = ImageLoad()
    var image: DecodedImage?

    func show(_ url: URL, gray: DecodedImage?, _ completion: @escaping (Error?) -> Void) {
        let imageView = self
        // snippet: begin
        let request = URLRequest(url: url)
        imageView.setImageWith(
            request, placeholderImage: gray,
            success: { (request, response, image) in
                imageView.image = image
                completion(nil)
            },
            failure: { (request, response, error) in
                completion(error)
            })
        // snippet: end
    }
}
