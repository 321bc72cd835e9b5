import Foundation
import FoundationNetworking
import NetworkImages

func showPicture(
    _ url: URL, with downloader: ImageDownloader,
    _ show: @escaping @Sendable (DecodedImage?) -> Void
) {
    // snippet: begin
    // Of several requests for one picture under way, one is sent; what came is kept in memory.
    let receipt = downloader.download(URLRequest(url: url)) { _, _, image in
        show(image)
    } failure: { _, _, _ in
        show(nil)
    }
    // When the row is gone: if let receipt { downloader.cancel(receipt) }
    // snippet: end
    _ = receipt
}
