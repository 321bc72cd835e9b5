import Foundation
import FoundationNetworking
import NetworkImages

func showPicture(
    _ url: URL, with downloader: ImageDownloader,
    _ show: @escaping @Sendable (DecodedImage?) -> Void
) {
    // snippet: begin
    // Simultaneous requests for one picture share a transfer; pictures are cached in memory.
    let receipt = downloader.download(URLRequest(url: url)) { _, _, image in
        show(image)
    } failure: { request, _, error in
        print("\(request.url?.absoluteString ?? ""): \(error)")
        show(nil)
    }
    // When the row leaves the screen: if let receipt { downloader.cancel(receipt) }
    // snippet: end
    _ = receipt
}
