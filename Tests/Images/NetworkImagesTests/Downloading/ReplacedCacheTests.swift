import OperationNetworking
import TestSupport

@testable import NetworkImages

@Suite("A downloader's cache that is replaced", .timeLimit(.minutes(1)))
struct ReplacedCacheTests {
    /// A caller's, which asks the downloader as it goes.
    private final class Cache: ImageRequestCache {
        private let asking: AskingAtEnd

        init(_ asking: AskingAtEnd) { self.asking = asking }

        func add(_ image: DecodedImage, withIdentifier identifier: String) {}
        func image(withIdentifier identifier: String) -> DecodedImage? { nil }
        func removeImage(withIdentifier identifier: String) -> Bool { false }
        func removeAllImages() -> Bool { false }
        func add(
            _ image: DecodedImage, for request: URLRequest,
            withAdditionalIdentifier identifier: String?
        ) {}
        func image(
            for request: URLRequest, withAdditionalIdentifier identifier: String?
        ) -> DecodedImage? { nil }
        func removeImage(
            for request: URLRequest, withAdditionalIdentifier identifier: String?
        ) -> Bool { false }
    }

    @Test func `it goes under no lock`() async {
        let downloader = ImageDownloader()
        let answers = Log<Bool>()
        await onNewThread {
            downloader.imageCache = Cache(AskingAtEnd(answers) { _ = downloader.imageCache })
            downloader.imageCache = nil
        }
        #expect(answers.all == [true])
    }
}
