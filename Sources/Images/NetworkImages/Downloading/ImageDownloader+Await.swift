import Foundation
public import FoundationNetworking
import Locking
import OperationNetworking

extension ImageDownloader {
    /// Downloads an image, or takes it from the cache, and waits for it.
    ///
    /// Where the task is cancelled only its own part ends; others that asked for the same image get it. Nothing
    /// comes by way of main.
    ///
    /// - Parameter filter: changes the image, as in `download`.
    /// - Throws: `URLError.badURL` for a request without a URL; `URLError.cancelled` where the task is cancelled;
    ///   otherwise the error that `failure` of `download` gets.
    nonisolated(nonsending) public func image(
        for request: URLRequest, filter: ImageFilter? = nil
    ) async throws -> DecodedImage {
        guard let url = request.url else { throw URLError(.badURL) }
        let image = Awaited<DecodedImage>()
        let receiptID = UUID()
        let receipt = Locked<(receipt: ImageDownloadReceipt?, isCancelled: Bool)>((nil, false))
        return try await image.value(for: url) {
            let joined = join(request, receiptID, filter) { image.give($1) }
            let isCancelled = receipt.withLock { state in
                state.receipt = joined
                return state.isCancelled
            }
            if isCancelled, let joined { cancel(joined) }
        } cancelling: { [self] in
            let joined = receipt.withLock { state in
                state.isCancelled = true
                return state.receipt
            }
            if let joined { cancel(joined) }
        }
    }
}
