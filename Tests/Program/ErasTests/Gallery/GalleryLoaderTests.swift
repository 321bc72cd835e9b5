import CurlConnection
import DrawnPictures
import NetworkImages
import TestSupport

@testable import eras

@Suite("Loading a gallery", .timeLimit(.minutes(2)))
struct GalleryLoaderTests {
    @Test func `each address has a tile, in order, with a description`() async throws {
        let world = try TestWorld.gallery()
        let names = ["bar.gif", "gradient.png", "orientation-6.jpg", "squares.bmp", "icon.ico"]
        let (results, tiles) = try await world.load(names.map(world.picture))
        #expect(tiles.map(\.name) == names)
        #expect(results.allSatisfy { $0.error == nil && ($0.bytes ?? 0) > 0 })
        let details = tiles.map(\.details)
        #expect(details[0].hasPrefix("160 x 120 GIF, 12 frames, "))
        #expect(details[1].hasPrefix("160 x 120 PNG, "))
        #expect(details[2].hasPrefix("100 x 120 JPEG, "))
        #expect(details[3] == "160 x 120 BMP, 56.3 KiB")
        #expect(details[4].hasPrefix("48 x 48 ICO, "))
    }

    @Test func `httpbin's pictures are one picture in two formats`() async throws {
        let world = try TestWorld.gallery()
        let tiles = try await world.load(["/image/png", "/image/jpeg"].map(world.address)).tiles
        #expect(tiles.map(\.details) == ["16 x 16 PNG, 463 B", "16 x 16 JPEG, 317 B"])
        let pixels = try tiles.map { tile in
            guard case .image(let image, _) = tile.content else { return Data() }
            return try image.pixels()
        }
        #expect(pixels.map(\.count) == [1_024, 1_024])
        let difference = zip(pixels[0], pixels[1]).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(difference < 4 * 1_024)
    }

    @Test func `images are made small while they are decoded, and their own size is reported`()
        async throws
    {
        let world = try TestWorld.gallery()
        let tiles = try await world.load(
            [world.picture("gradient.jpg")], settings: .init(side: 96)
        ).tiles
        guard case .image(let image, _) = tiles[0].content else {
            Issue.record("\(tiles[0])")
            return
        }
        #expect(image.pixelSize == PixelSize(width: 96, height: 72))
        #expect(tiles[0].details.hasPrefix("160 x 120 JPEG"))
    }

    @Test func `equal addresses share one transfer`() async throws {
        let world = try TestWorld.gallery()
        let address = world.picture("gradient.png")
        let (results, tiles) = try await world.load(Array(repeating: address, count: 20))
        #expect(tiles.count == 20 && tiles.allSatisfy { $0.problem == nil })
        #expect(world.server.requests.count == 1)
        #expect(results.reduce(0) { $0 + $1.received } == results[0].bytes)
    }

    @Test func `no more run at once than was said`() async throws {
        let world = try TestWorld.gallery()
        world.server.hold("door")
        world.server.add("/held.png") { _ in .status(404).after(.wait(gate: "door")) }
        let addresses = (1...9).map { world.address("/held.png?\($0)") }
        let tiles = try await world.load(addresses, settings: .init(jobs: 2)) { _ in
            await world.reached("door", count: 2)
            // Whoever is not held back has been sent by now: a request of its own comes after it.
            _ = try? URLConnection.sendSynchronousRequest(
                URLRequest(url: world.server.url("/ok")))
            #expect(world.server.requests.count { $0.path == "/held.png" } == 2)
            world.server.release("door")
        }.tiles
        #expect(tiles.count == 9 && tiles.allSatisfy { $0.problem != nil })
        #expect(world.server.statistics.peakInFlight <= 3)
    }

    @Test func `why an image is not shown is reported in words`() async throws {
        let world = try TestWorld.gallery()
        world.server.add("/garbage.png") { _ in .text("no image", contentType: "image/png") }
        world.server.add("/bomb.gif") { _ in
            .data(Data("GIF89a".utf8) + [255, 255, 255, 255, 0, 0, 0], contentType: "image/gif")
        }
        let png = try #require(try GeneratedPicture.all().first { $0.name == "gradient.png" })
        world.server.add("/half.png") { _ in
            .data(png.data.prefix(png.data.count / 2), contentType: "image/png")
        }
        let (results, tiles) = try await world.load([
            "not an address", "ftp://host/a.png", world.address("/status/404"),
            world.address("/ok"), world.address("/garbage.png"), world.address("/bomb.gif"),
            world.address("/half.png"), "http://127.0.0.1:1/a.png", world.picture("bar.gif"),
        ])
        let problems = tiles.map { $0.problem ?? "" }
        let beginnings = [
            "This is no URL", "Only http and https", "The server answered 404",
            "The server sent it as text/plain, which is no image.", "The body is no image",
            "The image has ", "The PNG ends early.",
            "No server accepts connections at that address.",
        ]
        for (problem, beginning) in zip(problems, beginnings) {
            #expect(problem.hasPrefix(beginning), "\(problem)")
            #expect(!problem.contains("limits."))
        }
        #expect(problems[8] == "" && results.map { $0.error ?? "" } == problems)
    }

    @Test func `one that is cancelled before its start ends each too`() async throws {
        let world = try TestWorld.gallery()
        world.server.hold("door")
        world.server.add("/held.png") { _ in .status(200).after(.wait(gate: "door")) }
        let items = DownloadItem.list(
            (1...3).map { world.address("/held.png?\($0)") }, directory: ".")
        let results = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<[FetchResult], any Error>) in
            do {
                let loader = try GalleryLoader(items, settings: .init()) { results, _ in
                    continuation.resume(returning: results)
                }
                loader.cancel()
                loader.start()
            } catch {
                continuation.resume(throwing: error)
            }
        }
        #expect(results.count == 3 && results.allSatisfy(\.isInterrupted))
        world.server.release("door")
    }

    @Test func `one that is cancelled ends each that has not ended, and says so`() async throws {
        let world = try TestWorld.gallery()
        world.server.hold("door")
        world.server.add("/held.png") { _ in .status(200).after(.wait(gate: "door")) }
        let addresses = (1...6).map { world.address("/held.png?\($0)") }
        let results = try await world.load(addresses, settings: .init(jobs: 2)) { loader in
            await world.reached("door", count: 2)
            loader.cancel()
        }.results
        #expect(results.count == 6 && results.allSatisfy(\.isInterrupted))
        world.server.release("door")
    }
}
