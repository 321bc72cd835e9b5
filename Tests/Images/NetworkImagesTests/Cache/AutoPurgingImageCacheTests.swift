import TestSupport

@testable import NetworkImages

@Suite("The cache in memory (IM-17 to IM-26)", .timeLimit(.minutes(2)))
struct AutoPurgingImageCacheTests {
    private static func request(_ text: String) throws -> URLRequest {
        URLRequest(url: try #require(URL(string: text)))
    }

    private static let address = "http://test.com/image"

    /// A cache of ten of these, of which six are left after a purge.
    private static func small(_ image: DecodedImage) throws -> AutoPurgingImageCache {
        try AutoPurgingImageCache(
            memoryCapacity: image.cost * 10, preferredMemoryUsageAfterPurge: image.cost * 6)
    }

    // MARK: By a name

    @Test func `an image is returned for its name, and was not there before`() throws {
        let (cache, image) = (AutoPurgingImageCache(), try Pixels.plain(2, 2))
        #expect(cache.image(withIdentifier: "logo") == nil)
        cache.add(image, withIdentifier: "logo")
        #expect(cache.image(withIdentifier: "logo") == image)
    }

    @Test func `an image replaces the one of its name`() throws {
        let (cache, one, other) = (
            AutoPurgingImageCache(), try Pixels.plain(2, 2), try Pixels.plain(3, 3)
        )
        cache.add(one, withIdentifier: "logo")
        cache.add(other, withIdentifier: "logo")
        #expect(cache.image(withIdentifier: "logo") == other && one != other)
        #expect(cache.memoryUsage == other.cost)
    }

    @Test func `an image is removed by its name, once`() throws {
        let cache = AutoPurgingImageCache()
        cache.add(try Pixels.plain(2, 2), withIdentifier: "logo")
        #expect(cache.removeImage(withIdentifier: "logo"))
        #expect(!cache.removeImage(withIdentifier: "logo"))
        #expect(cache.image(withIdentifier: "logo") == nil)
    }

    @Test func `all images are removed, once`() throws {
        let cache = AutoPurgingImageCache()
        for number in 0..<3 { cache.add(try Pixels.plain(2, 2), withIdentifier: "\(number)") }
        #expect(cache.removeAllImages() && cache.memoryUsage == 0)
        #expect(!cache.removeAllImages() && cache.image(withIdentifier: "1") == nil)
    }

    // MARK: By a request

    @Test(arguments: [nil, "filter"])
    func `an image is returned for its request and other name`(_ name: String?) throws {
        let (cache, image) = (AutoPurgingImageCache(), try Pixels.plain(2, 2))
        let request = try Self.request(Self.address)
        #expect(cache.image(for: request, withAdditionalIdentifier: name) == nil)
        cache.add(image, for: request, withAdditionalIdentifier: name)
        #expect(cache.image(for: request, withAdditionalIdentifier: name) == image)
        // The key is the two texts, one behind the other.
        #expect(cache.image(withIdentifier: Self.address + (name ?? "")) == image)
    }

    @Test func `an image is not returned without its other name`() throws {
        let (cache, request) = (AutoPurgingImageCache(), try Self.request(Self.address))
        cache.add(try Pixels.plain(2, 2), for: request, withAdditionalIdentifier: "filter")
        #expect(cache.image(for: request, withAdditionalIdentifier: nil) == nil)
    }

    @Test func `an image is not returned for another URL`() throws {
        let cache = AutoPurgingImageCache()
        let (one, other) = (try Self.request(Self.address), try Self.request("http://test.com/b"))
        cache.add(try Pixels.plain(2, 2), for: one, withAdditionalIdentifier: nil)
        #expect(cache.image(for: other, withAdditionalIdentifier: nil) == nil)
    }

    @Test(arguments: [nil, "filter"])
    func `an image replaces the one of its request`(_ name: String?) throws {
        let (cache, request) = (AutoPurgingImageCache(), try Self.request(Self.address))
        let (one, other) = (try Pixels.plain(2, 2), try Pixels.plain(2, 2))
        cache.add(one, for: request, withAdditionalIdentifier: name)
        cache.add(other, for: request, withAdditionalIdentifier: name)
        let cached = cache.image(for: request, withAdditionalIdentifier: name)
        #expect(cached == other && cached != one)
    }

    @Test(arguments: [nil, "filter"])
    func `an image is removed by its request and other name, once`(_ name: String?) throws {
        let (cache, request) = (AutoPurgingImageCache(), try Self.request(Self.address))
        cache.add(try Pixels.plain(2, 2), for: request, withAdditionalIdentifier: name)
        #expect(cache.removeImage(for: request, withAdditionalIdentifier: name))
        #expect(!cache.removeImage(for: request, withAdditionalIdentifier: name))
        #expect(cache.image(for: request, withAdditionalIdentifier: name) == nil)
    }

    @Test(arguments: [nil, "nofilter"])
    func `an image is not removed without its other name, or with another`(_ name: String?) throws {
        let (cache, request) = (AutoPurgingImageCache(), try Self.request(Self.address))
        cache.add(try Pixels.plain(2, 2), for: request, withAdditionalIdentifier: "filter")
        #expect(!cache.removeImage(for: request, withAdditionalIdentifier: name))
        #expect(cache.image(for: request, withAdditionalIdentifier: "filter") != nil)
    }

    @Test func `all images of a URL are removed, and none of one that begins alike`() throws {
        let cache = AutoPurgingImageCache()
        let (one, ten) = (try Self.request("http://a/1"), try Self.request("http://a/10"))
        for name in [nil, "unicorn-100", "unicorn-400"] {
            cache.add(try Pixels.plain(2, 2), for: one, withAdditionalIdentifier: name)
        }
        cache.add(try Pixels.plain(2, 2), for: ten, withAdditionalIdentifier: nil)
        #expect(cache.removeImages(matching: one) && !cache.removeImages(matching: one))
        #expect(cache.image(for: one, withAdditionalIdentifier: "unicorn-400") == nil)
        #expect(cache.image(for: ten, withAdditionalIdentifier: nil) != nil)
    }

    @Test func `a request without a URL has no image`() throws {
        let cache = AutoPurgingImageCache()
        var request = try Self.request(Self.address)
        request.url = nil
        cache.add(try Pixels.plain(2, 2), for: request, withAdditionalIdentifier: nil)
        #expect(cache.memoryUsage == 0 && !cache.removeImages(matching: request))
        #expect(cache.image(for: request, withAdditionalIdentifier: nil) == nil)
    }

    @Test func `every image may be kept, unless a cache says otherwise`() throws {
        let request = try Self.request(Self.address)
        #expect(
            AutoPurgingImageCache().shouldCacheImage(
                try Pixels.plain(1, 1), for: request, withAdditionalIdentifier: nil))
    }

    // MARK: What it costs

    @Test func `100 MiB, purged to 60; a cache that is released frees its images`() throws {
        weak var gone: AutoPurgingImageCache?
        do {
            let cache = AutoPurgingImageCache()
            #expect(cache.memoryCapacity == 100 << 20)
            #expect(cache.preferredMemoryUsageAfterPurge == 60 << 20)
            cache.add(try Pixels.plain(2, 2), withIdentifier: "a")
            gone = cache
        }
        #expect(gone == nil)
    }

    @Test func `usage grows with an image and shrinks when it is removed, or all are`() throws {
        let cache = AutoPurgingImageCache()
        let image = try Pixels.plain(205, 200)
        #expect(cache.memoryUsage == 0)
        cache.add(image, withIdentifier: "unicorn")
        #expect(cache.memoryUsage == 164_000)
        cache.removeImage(withIdentifier: "unicorn")
        #expect(cache.memoryUsage == 0)
        cache.add(image, withIdentifier: "unicorn")
        cache.add(image, withIdentifier: "unicorn")
        #expect(cache.memoryUsage == 164_000)
        cache.removeAllImages()
        #expect(cache.memoryUsage == 0)
    }

    @Test func `an animation costs its frames, the picture, the canvas and the file`() throws {
        let cache = AutoPurgingImageCache()
        let file = try Pixels.file("bar.gif")
        cache.add(try ImageDecoder().image(from: file), withIdentifier: "bar")
        #expect(cache.memoryUsage == UInt64(160 * 120 * 4 * (12 + 1 + 1) + file.count))
    }

    // MARK: Purging

    @Test func `only above the capacity it purges, to the preferred usage`() throws {
        let image = try Pixels.plain(85, 40)
        let cache = try Self.small(image)
        for number in 1...11 {
            cache.add(image, withIdentifier: "image-\(number)")
            #expect(cache.memoryUsage == image.cost * UInt64(number <= 10 ? number : 6))
        }
    }

    @Test func `the longest unused images go first, and a read is a use`() throws {
        let image = try Pixels.plain(85, 40)
        let cache = try Self.small(image)
        for number in 0..<10 { cache.add(image, withIdentifier: "image-\(number)") }
        #expect(cache.image(withIdentifier: "image-0") != nil)
        cache.add(image, withIdentifier: "image-10")
        for number in 0...10 {
            let isCached = cache.image(withIdentifier: "image-\(number)") != nil
            #expect(isCached == (number == 0 || number >= 6), "\(number)")
        }
    }

    @Test func `640 images of 164,000 bytes in the usual cache`() throws {
        let (cache, image) = (AutoPurgingImageCache(), try Pixels.plain(205, 200))
        for number in 1...639 { cache.add(image, withIdentifier: "\(number)") }
        #expect(cache.memoryUsage == 104_796_000)
        cache.add(image, withIdentifier: "640")
        #expect(cache.memoryUsage == 62_812_000)
        for number in 1...640 {
            #expect((cache.image(withIdentifier: "\(number)") != nil) == (number >= 258))
        }
    }

    @Test func `an image larger than the capacity is not stored and purges no other`() throws {
        let image = try Pixels.plain(85, 40)
        let cache = try Self.small(image)
        cache.add(image, withIdentifier: "small")
        cache.add(image, withIdentifier: "grown")
        cache.add(try Pixels.plain(850, 41), withIdentifier: "grown")
        // The smaller one of its name is not the image any more.
        #expect(cache.image(withIdentifier: "grown") == nil)
        #expect(cache.memoryUsage == image.cost && cache.image(withIdentifier: "small") != nil)
    }

    @Test func `an image larger than the preferred usage is stored; the others are purged`() throws
    {
        let small = try Pixels.plain(85, 40)
        let cache = try Self.small(small)
        for number in 0..<4 { cache.add(small, withIdentifier: "\(number)") }
        let large = try Pixels.plain(85, 40 * 7)
        cache.add(large, withIdentifier: "large")
        #expect(cache.image(withIdentifier: "large") == large)
        #expect(cache.memoryUsage == large.cost)
        // The next purge treats it like the others.
        for number in 0..<4 { cache.add(small, withIdentifier: "\(number)") }
        #expect(cache.image(withIdentifier: "large") == nil)
        #expect(cache.memoryUsage == small.cost * 4)
    }

    @Test func `a preferred usage above the capacity is refused`() throws {
        #expect(
            throws: ImageCacheError.preferredUsageAboveCapacity(preferred: 11, capacity: 10)
        ) {
            try AutoPurgingImageCache(memoryCapacity: 10, preferredMemoryUsageAfterPurge: 11)
        }
        let cache = try AutoPurgingImageCache(
            memoryCapacity: 10, preferredMemoryUsageAfterPurge: 10)
        #expect(throws: ImageCacheError.self) {
            try cache.setMemoryCapacity(5, preferredMemoryUsageAfterPurge: 6)
        }
        try cache.setMemoryCapacity(50, preferredMemoryUsageAfterPurge: 6)
        #expect(cache.memoryCapacity == 50 && cache.preferredMemoryUsageAfterPurge == 6)
    }

    @Test func `usage is right after adds, reads and removals from many threads`() throws {
        let image = try Pixels.plain(85, 40)
        let cache = try Self.small(image)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for number in 0..<500 {
                cache.add(image, withIdentifier: "\(number % 20)")
                _ = cache.image(withIdentifier: "\(thread)")
                if number % 7 == 0 { cache.removeImage(withIdentifier: "\(number % 20)") }
            }
        }
        let left = (0..<20).count { cache.image(withIdentifier: "\($0)") != nil }
        #expect(cache.memoryUsage == image.cost * UInt64(left) && left <= 10)
    }

    @Test func `what an image costs a full cache does not depend on how many there are`() throws {
        let image = try Pixels.plain(2, 2)
        /// The processor time of a thousand images more, where so many are kept.
        func time(_ count: Int) throws -> Double {
            let cache = try AutoPurgingImageCache(
                memoryCapacity: UInt64(count) * 16,
                preferredMemoryUsageAfterPurge: UInt64(count) * 16)
            for number in 0..<count { cache.add(image, withIdentifier: "\(number)") }
            let (_, time) = processorTime {
                for number in 0..<1_000 { cache.add(image, withIdentifier: "\(count + number)") }
            }
            #expect(cache.memoryUsage == UInt64(count) * 16)
            return time
        }
        let few = try time(100)
        let many = try time(3_200)
        #expect(many < 8 * few, "\(many) s, \(few) s")
    }

    @Test func `the longest unused go first, however often the others were read and replaced`()
        throws
    {
        let cache = try AutoPurgingImageCache(
            memoryCapacity: 160, preferredMemoryUsageAfterPurge: 80)
        let image = try Pixels.plain(2, 2)
        for number in 0..<10 { cache.add(image, withIdentifier: "\(number)") }
        for _ in 0..<200 {
            for number in [7, 1, 4] { _ = cache.image(withIdentifier: "\(number)") }
        }
        cache.removeImage(withIdentifier: "4")
        cache.add(image, withIdentifier: "4")
        cache.add(image, withIdentifier: "0")
        cache.add(image, withIdentifier: "10")
        let kept = (0...10).filter { cache.image(withIdentifier: "\($0)") != nil }
        #expect(kept == [0, 1, 4, 7, 10])
    }
}
