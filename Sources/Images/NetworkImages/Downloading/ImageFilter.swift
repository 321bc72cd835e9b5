import Locking
import OperationNetworking
import Scheduling

/// Changes an image after it was downloaded.
public struct ImageFilter: Sendable {
    /// Identifies what it does, for the cache and for callers that wait for the same result.
    public let identifier: String
    let change: @Sendable (DecodedImage) throws -> DecodedImage

    /// Makes a filter.
    ///
    /// - Parameters:
    ///   - identifier: the same for filters that do the same, and for no others.
    ///   - change: called on a thread of the processing pool, never on the main thread; an error
    ///     that it throws is the error of the download.
    public init(
        identifier: String, _ change: @escaping @Sendable (DecodedImage) throws -> DecodedImage
    ) {
        self.identifier = identifier
        self.change = change
    }

    /// Makes images no larger than a size in pixels, as `DecodedImage.fitting(_:)` does: the target
    /// size of one request.
    ///
    /// The downloader caches the image itself besides the smaller one. Where no view shows it in
    /// full size, `ImageResponseSerializer.targetPixelSize`, for all requests, costs less.
    public static func fitting(_ size: PixelSize) -> ImageFilter {
        ImageFilter(identifier: " fitting \(size.width) x \(size.height)") { try $0.fitting(size) }
    }
}

/// The image of a transfer, and the results of filters for its callers.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the results; no filter and no handler runs under it.
/// Calls out on: the processing pool (filters and their handlers), else the caller's thread.
final class ReceivedImage: Sendable {
    typealias Handler = @Sendable (Result<DecodedImage, any Error>) -> Void
    typealias Filtered = Result<ReceivedImage, any Error>

    /// A filter, and where its result is cached.
    struct Filtering: Sendable {
        let filter: ImageFilter
        let keep: @Sendable (DecodedImage) -> Void
    }

    private enum Work {
        case running([Handler])
        case done(Result<DecodedImage, any Error>)
    }

    let image: DecodedImage
    private let work: Locked<[String: Work]>

    init(_ image: DecodedImage) {
        self.image = image
        work = Locked([:])
    }

    /// An image that is the result of a filter.
    init(_ image: DecodedImage, isFilteredBy filter: ImageFilter) {
        self.image = image
        work = Locked([filter.identifier: .done(.success(image))])
    }

    /// Calls a handler with the filter's result; each filter runs once.
    func filter(_ filtering: Filtering, _ handler: @escaping Handler) {
        let id = filtering.filter.identifier
        let (isFirst, result) = work.withLock { work -> (Bool, Result<DecodedImage, any Error>?) in
            switch work[id] {
            case .done(let result): return (false, result)
            case .running(let handlers):
                work[id] = .running(handlers + [handler])
                return (false, nil)
            case nil:
                work[id] = .running([handler])
                return (true, nil)
            }
        }
        if let result { handler(result) }
        guard isFirst else { return }
        let job: @Sendable () -> Void = { [self] in
            let result = Result { try filtering.filter.change(image) }
            if case .success(let image) = result { filtering.keep(image) }
            let handlers = work.withLock { work -> [Handler] in
                defer { work[id] = .done(result) }
                if case .running(let handlers) = work[id] { return handlers }
                return []
            }
            for handler in handlers { handler(result) }
        }
        if !WorkerPool.processing.perform(job) { job() }
    }
}

extension Result<ReceivedImage, any Error> {
    /// Calls a handler with the image, or with the filter's result.
    func filtered(
        by filtering: ReceivedImage.Filtering?, _ handler: @escaping ReceivedImage.Handler
    ) {
        switch self {
        case .success(let received):
            guard let filtering else { return handler(.success(received.image)) }
            received.filter(filtering, handler)
        case .failure(let error): handler(.failure(error))
        }
    }
}
