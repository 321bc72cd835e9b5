import Foundation
public import FoundationNetworking
import Locking

/// A cache in memory that purges the least recently used images when it exceeds its capacity.
///
/// An image costs `DecodedImage.cost`: pixels times 4 bytes, of all frames, and what an animation
/// stores besides. When the capacity is exceeded, the cache purges down to the preferred usage; the
/// image that was just added stays. An image that alone exceeds the capacity is not stored, and
/// purges no other. A read counts as a use.
///
/// ## Concurrency
/// Call from: any thread; a memory pressure source empties the cache on a thread of its own. Lock: one around
/// the table; images are freed after unlocking. Calls out on: the caller's thread (a memory pressure source).
public final class AutoPurgingImageCache: ImageRequestCache {
    private struct State {
        var table = ImageTable()
        var capacity: UInt64
        var preferred: UInt64
        var pressure: (any MemoryPressureWatch)?
    }

    /// 100 MiB.
    public static let defaultMemoryCapacity: UInt64 = 100 << 20
    /// 60 MiB.
    public static let defaultPreferredMemoryUsageAfterPurge: UInt64 = 60 << 20

    private let state: Locked<State>

    /// A cache of 100 MiB that is purged to 60 MiB.
    public init() {
        state = Locked(
            State(
                capacity: Self.defaultMemoryCapacity,
                preferred: Self.defaultPreferredMemoryUsageAfterPurge))
    }

    /// A cache of another size.
    ///
    /// - Parameters:
    ///   - memoryCapacity: bytes.
    ///   - preferredMemoryUsageAfterPurge: bytes; not more than the capacity.
    /// - Throws: `ImageCacheError`.
    public init(memoryCapacity: UInt64, preferredMemoryUsageAfterPurge: UInt64) throws {
        try Self.check(memoryCapacity, preferredMemoryUsageAfterPurge)
        state = Locked(
            State(capacity: memoryCapacity, preferred: preferredMemoryUsageAfterPurge))
    }

    /// A preferred usage above the capacity counts as the capacity.
    package init(memoryCapacity: UInt64, preferredUsage: UInt64) {
        state = Locked(
            State(capacity: memoryCapacity, preferred: min(memoryCapacity, preferredUsage)))
    }

    deinit {
        state.withLock { $0.pressure }?.stop()
    }

    private static func check(_ capacity: UInt64, _ preferred: UInt64) throws {
        guard preferred <= capacity else {
            throw ImageCacheError.preferredUsageAboveCapacity(
                preferred: preferred, capacity: capacity)
        }
    }

    // MARK: Sizes

    /// The most bytes that all images may cost together.
    public var memoryCapacity: UInt64 { state.withLock { $0.capacity } }
    /// The bytes that a purge leaves at most; more where the image just added alone costs more.
    public var preferredMemoryUsageAfterPurge: UInt64 { state.withLock { $0.preferred } }
    /// The bytes that all images cost together now.
    public var memoryUsage: UInt64 { state.withLock { $0.table.usage } }

    /// Sets both sizes, which apply when the next image is added.
    ///
    /// - Throws: `ImageCacheError`.
    public func setMemoryCapacity(
        _ capacity: UInt64, preferredMemoryUsageAfterPurge preferred: UInt64
    ) throws {
        try Self.check(capacity, preferred)
        state.withLock { ($0.capacity, $0.preferred) = (capacity, preferred) }
    }

    // MARK: Memory pressure

    /// Empties the cache whenever a source reports memory pressure; nil ends that. Off by default.
    ///
    /// - Throws: the source's error where it cannot be watched; then nothing is changed.
    public func purge(on source: (any MemoryPressureSource)?) throws {
        let watch = try source?.watch { [weak self] in _ = self?.removeAllImages() }
        let old = state.withLock { state in
            defer { state.pressure = watch }
            return state.pressure
        }
        old?.stop()
    }

    // MARK: Images by a name

    /// Stores an image, replacing the one with the same name.
    public func add(_ image: DecodedImage, withIdentifier identifier: String) {
        add(image, identifier, url: nil)
    }

    /// The image with a name; reading it counts as a use.
    public func image(withIdentifier identifier: String) -> DecodedImage? {
        state.withLock { $0.table.image(identifier) }
    }

    /// Removes an image; returns whether there was one.
    @discardableResult
    public func removeImage(withIdentifier identifier: String) -> Bool {
        state.withLock { $0.table.remove(identifier) } != nil
    }

    /// Removes all images; returns whether there was one.
    @discardableResult
    public func removeAllImages() -> Bool {
        let gone = state.withLock { $0.table.removeAll() }
        return !gone.isEmpty
    }

    private func add(_ image: DecodedImage, _ key: String, url: URL?) {
        let gone = state.withLock { state in
            state.table.add(
                image, key, url: url, capacity: state.capacity, preferred: state.preferred)
        }
        withExtendedLifetime(gone) {}
    }
}

// MARK: - Images by a request

extension AutoPurgingImageCache {
    /// Stores the image of a request; a request without a URL has none.
    public func add(
        _ image: DecodedImage, for request: URLRequest,
        withAdditionalIdentifier identifier: String?
    ) {
        guard let key = Self.key(for: request, withAdditionalIdentifier: identifier) else {
            return
        }
        add(image, key, url: request.url)
    }

    /// The image of a request; reading it counts as a use.
    public func image(
        for request: URLRequest, withAdditionalIdentifier identifier: String?
    ) -> DecodedImage? {
        Self.key(for: request, withAdditionalIdentifier: identifier)
            .flatMap { image(withIdentifier: $0) }
    }

    /// Removes the image of a request; returns whether there was one.
    @discardableResult
    public func removeImage(
        for request: URLRequest, withAdditionalIdentifier identifier: String?
    ) -> Bool {
        Self.key(for: request, withAdditionalIdentifier: identifier)
            .map { removeImage(withIdentifier: $0) } ?? false
    }

    /// Removes all images that were added for the request's URL, whatever their identifier; returns
    /// whether there was one.
    @discardableResult
    public func removeImages(matching request: URLRequest) -> Bool {
        guard let url = request.url else { return false }
        let gone = state.withLock { $0.table.removeAll(of: url) }
        return !gone.isEmpty
    }
}
