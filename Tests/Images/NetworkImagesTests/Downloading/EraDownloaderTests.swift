import OperationNetworking
import RequestEra
import SessionEra
import SessionTasks
import TestSupport

@testable import NetworkImages

/// What carries a downloader's transfers.
enum ImageCarrier: CaseIterable, CustomTestStringConvertible {
    case operations, session, requests

    var testDescription: String { "\(self)" }

    /// A manager with a credential for whoever asks.
    func manager(_ credential: URLCredential? = nil) -> any TransferStarting {
        switch self {
        case .operations:
            let manager = HTTPRequestOperationManager()
            manager.responseSerializer = ImageResponseSerializer()
            manager.credential = credential
            return manager
        case .session: return Self.session(credential)
        case .requests: return Self.requests(credential)
        }
    }

    private static func session(
        _ credential: URLCredential?
    ) -> HTTPSessionManager {
        let manager = HTTPSessionManager(
            baseURL: nil, sessionConfiguration: .ephemeral)
        manager.responseSerializer = ImageResponseSerializer()
        if let credential {
            manager.setAuthenticationChallengeHandler { _, _, _, _ in .use(credential) }
        }
        return manager
    }

    private static func requests(
        _ credential: URLCredential?
    ) -> RequestTransfers {
        RequestTransfers(
            SessionManager(configuration: .ephemeral),
            responseSerializer: ImageResponseSerializer(), credential: credential)
    }
}

@Suite("The image downloader on the managers of all eras", .timeLimit(.minutes(5)))
struct EraDownloaderTests {
    private struct End: Sendable {
        let image: DecodedImage?
        let response: HTTPURLResponse?
        let error: NSError?
    }

    private let world = TestWorld.pictures()
    private let ends = Log<End>()

    init() throws {
        world.server.add("/secret") { request in
            guard request.headers["Authorization"] == "Basic dXNlcjpwYXNz" else {
                return .status(401, headers: [("WWW-Authenticate", "Basic realm=\"images\"")])
            }
            return (try? .data(Pixels.png(9), contentType: "image/png")) ?? .status(500)
        }
    }

    /// Runs with a downloader on a manager; a session manager's session ends with it.
    private func with(
        _ carrier: ImageCarrier, limit: Int = 4, _ credential: URLCredential? = nil,
        _ body: (ImageDownloader) async throws -> Void
    ) async throws {
        let manager = carrier.manager(credential)
        let downloader = try ImageDownloader(
            manager: manager, maximumActiveDownloads: limit)
        try await body(downloader)
        (manager as? HTTPSessionManager)?
            .invalidateSessionCancelingTasks(true, resetSession: false)
    }

    @discardableResult
    private func download(_ downloader: ImageDownloader, _ path: String) -> ImageDownloadReceipt? {
        downloader.download(world.request(path)) { [ends] _, response, image in
            ends.add(End(image: image, response: response, error: nil))
        } failure: { [ends] _, response, error in
            ends.add(End(image: nil, response: response, error: error as NSError))
        }
    }

    @Test(arguments: ImageCarrier.allCases)
    private func
        `an image comes once for two callers, and a third has the kept one`(
            _ carrier: ImageCarrier
        ) async throws
    {
        try await with(carrier) { downloader in
            let first = download(downloader, "/held/7")
            let second = download(downloader, "/held/7")
            #expect(first?.task === second?.task)
            #expect(await world.server.reaches("/held/7"))
            world.server.release("/held/7")
            #expect(await ends.reaches(2))
            #expect(ends.all.allSatisfy { $0.image?.pixelWidth == 7 })
            #expect(ends.all.allSatisfy { $0.response?.statusCode == 200 })
            #expect(download(downloader, "/held/7") == nil)
            #expect(await ends.reaches(3))
            #expect(ends.all[2].response == nil && world.server.statistics.requests == 1)
        }
    }

    @Test(arguments: ImageCarrier.allCases)
    func `errors are the serializer's, with the response there is`(
        _ carrier: ImageCarrier
    ) async throws {
        try await with(carrier) { downloader in
            download(downloader, "/nothing")
            #expect(await ends.reaches(1))
            download(downloader, "/text")
            #expect(await ends.reaches(2))
            #expect(
                ends.all.map { $0.error?.code } == [
                    NSURLErrorBadServerResponse, NSURLErrorCannotDecodeContentData,
                ])
            #expect(ends.all.map { $0.response?.statusCode } == [404, 200])
        }
    }

    @Test(arguments: ImageCarrier.allCases)
    func `PNG and JPEG come with their pixels`(_ carrier: ImageCarrier) async throws {
        for name in ["gradient.png", "gradient.jpg"] {
            let file = try Pixels.file(name)
            let type = name.hasSuffix("png") ? "image/png" : "image/jpeg"
            world.server.add("/\(name)") { _ in .data(file, contentType: type) }
        }
        try await with(carrier) { downloader in
            download(downloader, "/gradient.png")
            #expect(await ends.reaches(1))
            download(downloader, "/gradient.jpg")
            #expect(await ends.reaches(2))
            let images = ends.all.compactMap(\.image)
            #expect(images.map(\.format) == [.png, .jpeg])
            #expect(images.allSatisfy { $0.isInflated })
            let pixels = try images.map { try $0.pixels() }
            let difference = zip(pixels[0], pixels[1]).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
            #expect(Double(difference) / Double(pixels[0].count) < 4)
        }
    }

    @Test(arguments: ImageCarrier.allCases)
    func `a server that is not there is a failure without a response`(
        _ carrier: ImageCarrier
    ) async throws {
        let gone = LoopbackServer.started(routes: Routes())
        let url = gone.url("/image/7")
        gone.stop()
        try await with(carrier) { downloader in
            downloader.download(
                URLRequest(url: url),
                failure: { [ends] _, response, error in
                    ends.add(End(image: nil, response: response, error: error as NSError))
                })
            #expect(await ends.reaches(1))
            #expect(ends.all[0].response == nil)
            #expect(ends.all[0].error?.code == NSURLErrorCannotConnectToHost)
        }
    }

    @Test(arguments: ImageCarrier.allCases)
    func `cancelled, it fails with -999 once, and the next one of the limit starts`(
        _ carrier: ImageCarrier
    ) async throws {
        try await with(carrier, limit: 1) { downloader in
            let first = try #require(download(downloader, "/held/7"))
            let waiting = try #require(download(downloader, "/image/8"))
            download(downloader, "/image/9")
            #expect(await world.server.reaches("/held/7"))
            #expect(downloader.counts == (1, 2))
            downloader.cancel(waiting)
            downloader.cancel(first)
            #expect(await ends.reaches(3))
            // The next one may end before the cancelled caller's block is called.
            #expect(ends.all.compactMap { $0.image?.pixelWidth } == [9])
            let codes = ends.all.compactMap { $0.error?.code }
            #expect(codes == [NSURLErrorCancelled, NSURLErrorCancelled])
            #expect(world.server.requests.map(\.path) == ["/held/7", "/image/9"])
            await MainQueue.settle()
            #expect(ends.all.count == 3)
        }
    }

    @Test(arguments: ImageCarrier.allCases)
    func `one that ends while it waits, or as it is made, is reported and takes no slot`(
        _ carrier: ImageCarrier
    ) async throws {
        try await with(carrier, limit: 1) { downloader in
            download(downloader, "/held/7")
            #expect(await world.server.reaches("/held/7"))
            // No transport can send it.
            let wrong = URLRequest(url: try #require(URL(string: "nothing")))
            downloader.download(
                wrong,
                failure: { [ends] in
                    ends.add(End(image: nil, response: $1, error: $2 as NSError))
                })
            try #require(download(downloader, "/image/8")).task.cancel()
            download(downloader, "/image/9")
            world.server.release("/held/7")
            #expect(await ends.reaches(4))
            #expect(Set(ends.all.compactMap { $0.image?.pixelWidth }) == [7, 9])
            #expect(ends.all.count { $0.error?.code == NSURLErrorCancelled } == 1)
            #expect(downloader.counts == (0, 0))
        }
    }

    @Test(arguments: ImageCarrier.allCases)
    func `a credential is sent where there is one, and none where there is none`(
        _ carrier: ImageCarrier
    ) async throws {
        try await with(carrier) {
            download($0, "/secret"); #expect(await ends.reaches(1))
        }
        #expect(ends.all[0].response?.statusCode == 401)
        #expect(world.server.requests.allSatisfy { $0.headers["Authorization"] == nil })
        let credential = URLCredential(user: "user", password: "pass", persistence: .forSession)
        try await with(carrier, credential) {
            download($0, "/secret")
            #expect(await ends.reaches(2))
        }
        #expect(ends.all[1].image?.pixelWidth == 9)
    }

    @Test(arguments: ImageCarrier.allCases)
    func `progress comes on the queue that was asked for, also to one who joined later`(
        _ carrier: ImageCarrier
    ) async throws {
        let file = try Pixels.png(3) + Data(repeating: 0, count: 200_000)
        world.server.add("/large") { _ in
            ScriptedResponse.data(file, contentType: "image/png").after(.wait(gate: "large"))
        }
        let queue = DispatchQueue(label: "EraDownloaderTests")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let reported = Log<(Int64, Bool)>()
        try await with(carrier) { downloader in
            download(downloader, "/large")
            downloader.download(
                world.request("/large"),
                progress: { _, _ in reported.add((-1, MainQueue.isCurrent)) })
            downloader.download(
                world.request("/large"),
                progress: { received, _ in
                    reported.add((received, DispatchQueue.getSpecific(key: key) == true))
                }, progressQueue: queue)
            world.server.release("large")
            #expect(await ends.reaches(1))
            #expect(ends.all[0].image?.pixelWidth == 3)
            #expect(await comesTrue { reported.all.contains { $0.0 == Int64(file.count) } })
            #expect(await comesTrue { reported.all.contains { $0.0 == -1 } })
            #expect(reported.all.allSatisfy { $0.1 })
        }
    }
}
