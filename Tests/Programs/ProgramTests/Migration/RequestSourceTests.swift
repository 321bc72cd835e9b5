import CurlConnection
import Foundation
import FoundationNetworking
import LoopbackServer
import RequestEra
import Testing

/// What Documentation/Migration/Alamofire.md shows as "after".
@Suite("New sources: requests", .timeLimit(.minutes(5)))
struct RequestSourceTests {
    private func server(_ tls: TLSSettings? = nil) throws -> LoopbackServer {
        let server = LoopbackServer(routes: .httpbin, tls: tls)
        try server.start()
        return server
    }

    private func base(_ server: LoopbackServer) -> String {
        String(server.baseURL.absoluteString.dropLast())
    }

    @Test
    func `the first request, an order and a check`() async throws {
        let server = try server()
        defer { server.stop() }
        let base = base(server)
        #expect(await answer { firstRequest(base, $0) } == base + "/get")
        #expect(await answer { Forms(server: base).order(2, completion: $0) } == 2)
        let check = StatusCheck()
        #expect(
            await answer { check.check(base + "/json", completion: $0) }
                == "Validation Successful")
        #expect(await answer { check.check(base + "/status/503", completion: $0) } == "status 503")
    }

    @Test
    func `a router and a Decodable`() async throws {
        let server = try server()
        defer { server.stop() }
        server.add("/products") { .text("page \($0.query["page"] ?? "")") }
        server.add("/orders") { .text($0.headers["X-Shop"] ?? "") }
        server.add("/products/7") { _ in .json("{\"name\":\"tea\"}") }
        struct Product: Decodable { let name: String }
        let routes: [ShopRouter.Route] = [.products(page: 2), .order(["id": 7])]
        var texts: [String?] = []
        for route in routes {
            let router = ShopRouter(server: base(server), route: route)
            texts.append(
                await answer { finish in
                    SessionManager.default.request(router).responseString { finish($0.value) }
                })
        }
        #expect(texts == ["page 2", "1"])
        let product = ShopRouter(server: base(server), route: .product(id: 7))
        let name: String? = await answer { finish in
            SessionManager.default.request(product).responseDecodable(Product.self) {
                finish($0.value?.name)
            }
        }
        #expect(name == "tea")
    }

    @Test
    func `a picture, an upload and a form`() async throws {
        let room = try Room()
        let server = try server()
        defer { server.stop() }
        server.add("/pig.png") { _ in .data(Data(repeating: 5, count: 100_000)) }
        let folder = try room.file("marker", Data()).deletingLastPathComponent()
        let (shares, continuation) = AsyncStream.makeStream(of: Double.self)
        let picture = PictureDownload(folder: folder)
        let path: String? = await answer {
            picture.fetch(
                base(server) + "/pig.png", progress: { continuation.yield($0) }, completion: $0)
        }
        #expect(path == folder.appending(path: "pictures/pig.png").path())
        let file = try room.file("video.mov", Data(repeating: 97, count: 100_000))
        let status: Int? = await answer {
            Uploader().send(
                file, to: base(server) + "/post", progress: { continuation.yield($0 + 1) },
                completion: $0)
        }
        #expect(status == 200)
        continuation.finish()
        var all: [Double] = []
        for await share in shares { all.append(share) }
        #expect(all.contains(1) && all.last == 2)
        let thumbnail = try room.file("small.png", Data("PNG".utf8))
        let error: (any Error)? = await answer {
            PhotoForm().send(
                photo: Data("JPEG".utf8), thumbnail: thumbnail, title: "Sea",
                to: base(server) + "/post", completion: $0)
        }
        #expect(error == nil)
        let body = String(decoding: server.requests.last?.body ?? Data(), as: UTF8.self)
        #expect(["title", "photo", "thumbnail"].allSatisfy { body.contains("name=\"\($0)\"") })
    }

    @Test
    func `a token, and patience`() async throws {
        let server = try server()
        defer { server.stop() }
        let client = SignedClient()
        let url = base(server) + "/headers"
        let error: (any Error)? = await answer { finish in
            client.sessionManager.request(url).response { finish($0.error) }
        }
        #expect(error is NotLoggedIn)
        client.adapter.logIn("t")
        let text: String? = await answer { finish in
            client.sessionManager.request(url).responseString { finish($0.value) }
        }
        #expect(text?.contains("Token t") == true)
        let manager = SessionManager(configuration: .ephemeral)
        manager.retrier = Patience()
        let status: Int? = await answer { finish in
            manager.request(base(server) + "/x/flaky?fail=2&id=p").validate().response {
                finish($0.response?.statusCode)
            }
        }
        #expect(status == 200)
    }

    @Test
    func `a pinned shop talks to the server that has the pin, and to no other`() async throws {
        let identity = try TLSIdentity(.loopback)
        let server = try server(TLSSettings(identity))
        defer { server.stop() }
        var statuses: [Int?] = []
        for pin in [identity, try TLSIdentity(.loopback)] {
            let shop = PinnedShop(
                host: "127.0.0.1", certificates: [try Certificate(der: pin.der)])
            statuses.append(
                await answer { finish in
                    shop.sessionManager.request(server.url("/get")).response {
                        finish($0.response?.statusCode)
                    }
                })
        }
        #expect(statuses == [200, nil])
        #expect(server.requests.count == 1)
    }

    @Test
    @MainActor
    func `a watcher hears of the network`() async {
        let watcher = ReachabilityWatcher()
        watcher.start()
        while watcher.text.isEmpty { await Task.yield() }
        watcher.manager?.stopListening()
        #expect(["Connected", "Unknown"].contains(watcher.text))
    }
}
