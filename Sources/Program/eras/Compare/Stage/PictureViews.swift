import NetworkImages

/// A view as AFNetworking 2's category has it: with an operation of its own.
@MainActor
final class OperationView: OperationImageDisplaying {
    nonisolated let imageOperation = ImageOperation()
    var image: DecodedImage? {
        didSet { whenShown?(image) }
    }
    /// Called with each picture that is shown.
    var whenShown: ((DecodedImage?) -> Void)?
}

/// A view as the later eras have it: with a receipt of a downloader that all share.
@MainActor
final class DownloaderView: ImageDisplaying {
    nonisolated let imageLoad = ImageLoad()
    var image: DecodedImage? {
        didSet { whenShown?(image) }
    }
    /// Called with each picture that is shown.
    var whenShown: ((DecodedImage?) -> Void)?

    init(_ downloader: ImageDownloader) {
        imageLoad.downloader = downloader
    }
}
