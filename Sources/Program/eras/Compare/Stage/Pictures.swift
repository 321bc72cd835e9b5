import Locking
import NetworkImages
import OperationNetworking
import RequestEra
import SessionEra

extension Stage {
    /// The session era's manager for pictures.
    var sessionPictures: any TransferStarting {
        let manager = HTTPSessionManager(baseURL: nil)
        manager.responseSerializer = ImageResponseSerializer()
        return manager
    }

    /// The request era's manager for pictures.
    var requestPictures: any TransferStarting {
        RequestTransfers(.default, responseSerializer: ImageResponseSerializer())
    }
}

/// A view as in AFNetworking 2's category, with an operation of its own.
@MainActor
final class OperationView: OperationImageDisplaying {
    nonisolated let imageOperation = ImageOperation()
    var image: DecodedImage? {
        didSet { whenShown?(image) }
    }
    /// Called with each picture that is shown.
    var whenShown: ((DecodedImage?) -> Void)?
}

/// A view as in the later eras, with a receipt of a shared downloader.
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

/// A memory warning that a scenario sends.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the block. Calls out on: the thread of `begin`, not under
/// the lock.
final class Shortage: MemoryPressureSource {
    private struct Watch: MemoryPressureWatch {
        func stop() {}
    }

    private let block = Locked<(@Sendable () -> Void)?>(nil)

    func watch(_ onPressure: @escaping @Sendable () -> Void) -> any MemoryPressureWatch {
        block.withLock { $0 = onPressure }
        return Watch()
    }

    func begin() {
        block.withLock { $0 }?()
    }
}
