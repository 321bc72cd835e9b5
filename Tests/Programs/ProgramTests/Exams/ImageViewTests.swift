import DrawnPictures
import NetworkImages
import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier D: program 34.
    @Suite("D: the image view", .timeLimit(.minutes(5)))
    @MainActor
    struct ImageViewTests {
        /// Stands in for the view.
        private final class ImageSink: OperationImageDisplaying {
            let imageOperation = ImageOperation()
            private(set) var shown: [Int] = []
            var image: DecodedImage? {
                didSet { shown.append(image?.pixelWidth ?? 0) }
            }
        }

        /// A cache of the program's own, which writes down what it is asked.
        private final class NotedCache: ImageRequestCache {
            let notes = Watched<[String]>([])
            private let images = Watched<[String: DecodedImage]>([:])

            func add(_ image: DecodedImage, withIdentifier identifier: String) {
                notes.change { $0.append("put \(identifier)") }
                images.change { $0[identifier] = image }
            }
            func image(withIdentifier identifier: String) -> DecodedImage? {
                notes.change { $0.append("get \(identifier)") }
                return images.now[identifier]
            }
            func removeImage(withIdentifier identifier: String) -> Bool {
                images.change { $0.removeValue(forKey: identifier) } != nil
            }
            func removeAllImages() -> Bool { false }
            func add(
                _ image: DecodedImage, for request: URLRequest,
                withAdditionalIdentifier identifier: String?
            ) {
                add(image, withIdentifier: request.url?.absoluteString ?? "")
            }
            func image(
                for request: URLRequest, withAdditionalIdentifier identifier: String?
            ) -> DecodedImage? {
                image(withIdentifier: request.url?.absoluteString ?? "")
            }
            func removeImage(
                for request: URLRequest, withAdditionalIdentifier identifier: String?
            ) -> Bool {
                removeImage(withIdentifier: request.url?.absoluteString ?? "")
            }
        }

        private let cache = NotedCache()

        init() {
            ImageSink.sharedImageCache = cache
        }

        private func placeholder() throws -> DecodedImage {
            try #require(
                DecodedImage(
                    pixels: Data(repeating: 255, count: 4), size: PixelSize(width: 1, height: 1)))
        }

        /// A picture of 16 pixels at a gate.
        private func slow(_ exam: Exam) throws -> URL {
            let png = try #require(GeneratedPicture.all().first { $0.name == "gradient.png" }).data
            try exam.loopback().add("/slow") { _ in
                ScriptedResponse.data(png, contentType: "image/png").after(.wait(gate: "slow"))
            }
            return exam.url("slow")
        }

        private func shows(_ sink: ImageSink, _ width: Int) async {
            for _ in 0..<10_000 where sink.image?.pixelWidth != width {
                await MainQueue.settle()
            }
            #expect(sink.image?.pixelWidth == width)
        }

        @Test func `34. A cell used again shows the second picture alone`() async throws {
            try await Exam.run { exam in
                let sink = ImageSink()
                sink.setImage(with: try slow(exam), placeholder: try placeholder())
                exam.isSilent(sink.imageOperation.current)
                #expect(sink.shown == [1])
                await exam.reached("slow")
                sink.setImage(with: exam.url("image/png"), placeholder: try placeholder())
                exam.isSilent(sink.imageOperation.current)
                await shows(sink, 16)
                try exam.loopback().release("slow")
                await exam.serverSees("the first cancelled") { counts, _ in counts.abandoned == 1 }
                await MainQueue.settle()
                #expect(sink.shown == [1, 1, 16])
            }
        }

        @Test func `34. A success block gets the picture; the next time at once, from the cache`()
            async throws
        {
            try await Exam.run { exam in
                let sink = ImageSink()
                let got = Watched<[Int?]>([])
                let url = exam.url("image/png")
                for _ in 1...2 {
                    sink.setImage(with: URLRequest(url: url)) { _, response, _ in
                        got.change { $0.append(response?.statusCode) }
                    }
                    exam.isSilent(sink.imageOperation.current)
                    await got.wait(until: "the picture") { !$0.isEmpty }
                }
                #expect(got.now == [200, nil] && sink.shown.isEmpty)
                let key = url.absoluteString
                #expect(cache.notes.now == ["get \(key)", "put \(key)", "get \(key)"])
                await exam.serverSees("one request") { counts, _ in counts.requests == 1 }
                let reload = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
                sink.setImage(with: reload)
                exam.isSilent(sink.imageOperation.current)
                await shows(sink, 16)
                #expect(cache.notes.now.filter { $0.hasPrefix("get") }.count == 2)
                await exam.serverSees("two requests") { counts, _ in counts.requests == 2 }
            }
        }
    }
}
