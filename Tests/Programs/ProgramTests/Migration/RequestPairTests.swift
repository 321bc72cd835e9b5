import Alamofire
@testable import OldAlamofire
import TestSupport

/// What Documentation/Migration/Alamofire.md shows, before and after.
@Suite("Pairs for requests", .timeLimit(.minutes(5)))
struct RequestPairTests {
    @Test(arguments: Spelling.allCases)
    func `the first request, an order and a check`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .httpbin)
        let url: String? = await answer { finish in
            switch spelling {
            case .before:
                OldAlamofire.firstRequest(world.base) {
                    finish(($0 as? [String: Any])?["url"] as? String)
                }
            case .after: ProgramTests.firstRequest(world.base, finish)
            }
        }
        #expect(url == world.address("/get"))
        let tea: Int? = await answer { finish in
            switch spelling {
            case .before:
                OldAlamofire.Forms(server: world.base).order(2) { finish($0?["tea"] as? Int) }
            case .after: Forms(server: world.base).order(2, completion: finish)
            }
        }
        #expect(tea == 2)
        let body = try JSONSerialization.jsonObject(
            with: world.server.requests.last?.body ?? Data())
        let order = body as? [String: Any]
        #expect(order?["express"] as? Bool == true)
        #expect(order?["tags"] as? [String] == ["a", "b"])
        for (path, reported) in [
            ("/json", "Validation Successful"), ("/status/503", "status 503"),
            ("/html", "status 0"),
        ] {
            let seen: String = await answer { finish in
                switch spelling {
                case .before:
                    OldAlamofire.StatusCheck().check(world.address(path), completion: finish)
                case .after: StatusCheck().check(world.address(path), completion: finish)
                }
            }
            #expect(seen == reported)
        }
    }

    @Test(arguments: Spelling.allCases)
    func `a router's requests`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .httpbin)
        world.server.add("/products") { .text("page \($0.query["page"] ?? "")") }
        world.server.add("/products/7") { _ in .text("tea") }
        world.server.add("/orders") { request in
            .text(
                (request.headers["X-Shop"] ?? "") + " "
                    + String(decoding: request.body, as: UTF8.self))
        }
        func text(_ old: OldAlamofire.ShopRouter, _ new: ShopRouter.Route) async -> String {
            await answer { finish in
                switch spelling {
                case .before: OldAlamofire.shop(world.base, old, completion: finish)
                case .after:
                    SessionManager.default.request(ShopRouter(server: world.base, route: new))
                        .responseString { finish($0.value ?? "nothing") }
                }
            }
        }
        #expect(await text(.products(page: 2), .products(page: 2)) == "page 2")
        #expect(await text(.product(id: 7), .product(id: 7)) == "tea")
        #expect(await text(.order(["id": 7]), .order(["id": 7])) == "1 {\"id\":7}")
    }

    @Test(arguments: Spelling.allCases)
    func `a Decodable, and the module's own Result`(_ spelling: Spelling) async throws {
        struct Forecast: Decodable { let summary: String }
        let world = TestWorld(programs: .httpbin)
        world.server.add("/weather") { _ in .json("{\"summary\":\"rain\"}") }
        func summary(_ url: String) async -> Alamofire.Result<String> {
            await answer { finish in
                switch spelling {
                case .before: loadWeather(url) { finish($0.map(\.summary)) }
                case .after:
                    SessionManager.default.request(url).responseDecodable(Forecast.self) {
                        finish($0.result.map(\.summary))
                    }
                }
            }
        }
        #expect(await summary(world.address("/weather")).value == "rain")
        let nothing = await summary(world.address("/html"))
        #expect(nothing.isFailure && nothing.error is DecodingError)
    }

    @Test(arguments: Spelling.allCases)
    func `a picture lies where it was to lie, and the progress ends at one`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .httpbin)
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        // The body comes once the block for its progress is set.
        world.server.add("/pig.png") { _ in
            .data(data, contentType: "image/png").after(.wait(gate: "pig"))
        }
        let old = OldAlamofire.PictureDownload(folder: world.folder)
        let new = PictureDownload(folder: world.folder)
        let shares = Log<Double>()
        for _ in 0..<2 {
            world.server.hold("pig")
            let path: String? = await answer { finish in
                let url = world.address("/pig.png")
                switch spelling {
                case .before: old.fetch(url, completion: finish)
                case .after: new.fetch(url, progress: { shares.add($0) }, completion: finish)
                }
                world.server.release("pig")
            }
            #expect(path == world.folder.appendingPathComponent("pictures/pig.png").path)
            let isWhole = try Data(contentsOf: URL(fileURLWithPath: path ?? "")) == data
            #expect(isWhole)
        }
        #expect((spelling == .before ? old.fractions : shares.all).last == 1)
    }

    @Test(arguments: Spelling.allCases)
    func `an upload's progress climbs to one`(_ spelling: Spelling) async throws {
        let world = TestWorld(programs: .httpbin)
        let file = try world.files.write("video.mov", Data(repeating: 97, count: 300_000))
        let old = OldAlamofire.Uploader()
        let shares = Log<Double>()
        let isSent: Bool = await answer { finish in
            let url = world.address("/post")
            switch spelling {
            case .before:
                old.send(file, to: url) {
                    finish((($0 as? [String: Any])?["data"] as? String)?.count == 300_000)
                }
            case .after:
                Uploader().send(file, to: url, progress: { shares.add($0) }) { finish($0 == 200) }
            }
        }
        #expect(isSent)
        #expect(world.server.requests.last?.body.count == 300_000)
        let all = spelling == .before ? old.fractions : shares.all
        #expect(all.last == 1)
        #expect(all == all.sorted())
    }

    @Test(arguments: Spelling.allCases)
    func `a form goes out with its fields, and one that cannot be made says so`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .httpbin)
        let small = try world.files.write("small.png", Data("PNG".utf8))
        func send(_ photo: Data, _ thumbnail: URL) async -> (any Error)? {
            await answer { finish in
                let url = world.address("/post")
                switch spelling {
                case .before:
                    OldAlamofire.PhotoForm()
                        .send(photo: photo, thumbnail: thumbnail, title: "Sea", to: url) {
                            finish($1)
                        }
                case .after:
                    PhotoForm().send(
                        photo: photo, thumbnail: thumbnail, title: "Sea", to: url,
                        completion: finish)
                }
            }
        }
        #expect(await send(Data("JPEG".utf8), small) == nil)
        let body = String(decoding: world.server.requests.last?.body ?? Data(), as: UTF8.self)
        let parts = body.components(separatedBy: "\r\n--")
        for (name, content) in [("title", "Sea"), ("photo", "JPEG"), ("thumbnail", "PNG")] {
            #expect(
                parts.contains {
                    $0.contains("name=\"\(name)\"") && $0.hasSuffix("\r\n\r\n" + content)
                })
        }
        let error = await send(Data(), world.file("none.png"))
        #expect((error as? AFError)?.isMultipartEncodingError == true)
    }

    @Test(arguments: Spelling.allCases)
    func `an adapter signs, and its error reaches the handler as it is`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .httpbin)
        let (old, new) = (OldAlamofire.SignedClient(), SignedClient())
        func whoAmI() async -> (header: String?, error: (any Error)?) {
            await answer { finish in
                let url = world.address("/headers")
                switch spelling {
                case .before: old.whoAmI(url) { finish(($0, $1)) }
                case .after:
                    new.sessionManager.request(url).responseJSON { response in
                        let headers = (response.value as? [String: Any])?["headers"]
                        finish(
                            (
                                (headers as? [String: Any])?["Authorization"] as? String,
                                response.error
                            ))
                    }
                }
            }
        }
        let error = await whoAmI().error
        #expect(spelling == .before ? error is OldAlamofire.NotLoggedIn : error is NotLoggedIn)
        #expect(world.server.requests.isEmpty)
        old.adapter.token = "t"
        new.adapter.logIn("t")
        let signed = await whoAmI()
        #expect(signed.header == "Token t" && signed.error == nil)
    }

    @Test(arguments: Spelling.allCases)
    func `patience tries again until it is good, or three times`(
        _ spelling: Spelling
    ) async throws {
        let world = TestWorld(programs: .httpbin)
        let manager = SessionManager(configuration: .ephemeral)
        manager.retrier = spelling == .before ? OldAlamofire.Patience() : Patience()
        let status: Int? = await answer { finish in
            manager.request(world.address("/x/flaky?fail=2&id=p")).validate().response {
                finish($0.response?.statusCode)
            }
        }
        #expect(status == 200)
        let error: (any Error)? = await answer { finish in
            manager.request(world.address("/status/500")).validate().response { finish($0.error) }
        }
        #expect((error as? AFError)?.responseCode == 500)
        #expect(world.server.requests.filter { $0.path == "/status/500" }.count == 4)
    }

    @Test(arguments: Spelling.allCases)
    func `a pinned shop talks to the server that has the pin, and to no other`(
        _ spelling: Spelling
    ) async throws {
        let identity = try TLSIdentity(.loopback)
        let world = TestWorld(programs: .httpbin, tls: TLSSettings(identity))
        let pin = try #require(readPin(try world.files.write("pin.cer", identity.der)))
        let stranger = try #require(
            SecCertificateCreateWithData(nil, try TLSIdentity(.loopback).der as CFData))
        #expect(SecCertificateCopyData(pin) as Data == identity.der)
        var statuses: [Int?] = []
        for pins in [[pin], [stranger], []] {
            let manager =
                switch spelling {
                case .before:
                    OldAlamofire.PinnedShop(host: "127.0.0.1", certificates: pins).sessionManager
                case .after: PinnedShop(host: "127.0.0.1", certificates: pins).sessionManager
                }
            statuses.append(
                await answer { finish in
                    manager.request(world.address("/get")).response {
                        finish($0.response?.statusCode)
                    }
                })
        }
        #expect(statuses == [200, nil, nil])
        #expect(world.server.requests.count == 1)
    }

    @Test(arguments: Spelling.allCases) @MainActor
    func `a watcher hears of the network`(_ spelling: Spelling) async {
        let (old, new) = (OldAlamofire.ReachabilityWatcher(), ReachabilityWatcher())
        switch spelling {
        case .before: old.start()
        case .after: new.start()
        }
        let text = { old.text + new.text }
        while text().isEmpty { await Task.yield() }
        old.manager?.stopListening()
        new.manager?.stopListening()
        #expect(["Connected", "Unknown"].contains(text()))
        _ = Connectivity.isConnectedToInternet()
    }
}
