import CurlConnection
import DrawnPictures
import Foundation
import FoundationNetworking
import LoopbackServer
import NetworkImages
import TestSupport
import Testing

@testable import eras

@Suite("Loading a gallery", .timeLimit(.minutes(2)))
struct GalleryLoaderTests {
    @Test func `each address has a tile in its place, and says what it is`() async throws {
        let room = try GalleryRoom()
        let names = ["bar.gif", "gradient.png", "orientation-6.jpg", "squares.bmp", "icon.ico"]
        let (results, tiles) = try await room.load(names.map(room.address))
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
        let room = try GalleryRoom()
        let tiles = try await room.load(["/image/png", "/image/jpeg"].map(room.address)).tiles
        #expect(tiles.map(\.details) == ["16 x 16 PNG, 463 B", "16 x 16 JPEG, 317 B"])
        let pixels = try tiles.map { tile in
            guard case .image(let image, _) = tile.content else { return Data() }
            return try image.pixels()
        }
        #expect(pixels.map(\.count) == [1_024, 1_024])
        let difference = zip(pixels[0], pixels[1]).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        #expect(difference < 4 * 1_024)
    }

    @Test func `images are made small while they are decoded, and their own size is told`()
        async throws
    {
        let room = try GalleryRoom()
        let tiles = try await room.load(
            [room.address("gradient.jpg")], settings: .init(side: 96)
        ).tiles
        guard case .image(let image, _) = tiles[0].content else {
            Issue.record("\(tiles[0])")
            return
        }
        #expect(image.pixelSize == PixelSize(width: 96, height: 72))
        #expect(tiles[0].details.hasPrefix("160 x 120 JPEG"))
    }

    @Test func `equal addresses share one transfer`() async throws {
        let room = try GalleryRoom()
        let address = room.address("gradient.png")
        let (results, tiles) = try await room.load(Array(repeating: address, count: 20))
        #expect(tiles.count == 20 && tiles.allSatisfy { $0.problem == nil })
        #expect(room.server.requests.count == 1)
        #expect(results.reduce(0) { $0 + $1.received } == results[0].bytes)
    }

    @Test func `no more run at once than was said`() async throws {
        let room = try GalleryRoom()
        room.server.hold("door")
        room.server.add("/held.png") { _ in .status(404).after(.wait(gate: "door")) }
        let addresses = (1...9).map { room.address("/held.png?\($0)") }
        let tiles = try await room.load(addresses, settings: .init(jobs: 2)) { _ in
            #expect(await room.server.reaches("door", count: 2))
            // Whoever is not held back has been sent by now: a request of its own comes after it.
            _ = try? URLConnection.sendSynchronousRequest(
                URLRequest(url: room.server.url("/ok")))
            #expect(room.server.requests.count { $0.path == "/held.png" } == 2)
            room.server.release("door")
        }.tiles
        #expect(tiles.count == 9 && tiles.allSatisfy { $0.problem != nil })
        #expect(room.server.statistics.peakInFlight <= 3)
    }

    @Test func `why an image is not shown is told in words`() async throws {
        let room = try GalleryRoom()
        room.server.add("/garbage.png") { _ in .text("no image", contentType: "image/png") }
        room.server.add("/bomb.gif") { _ in
            .data(Data("GIF89a".utf8) + [255, 255, 255, 255, 0, 0, 0], contentType: "image/gif")
        }
        let png = try #require(try GeneratedPicture.all().first { $0.name == "gradient.png" })
        room.server.add("/half.png") { _ in
            .data(png.data.prefix(png.data.count / 2), contentType: "image/png")
        }
        let (results, tiles) = try await room.load([
            "not an address", "ftp://host/a.png", room.address("/status/404"),
            room.address("/ok"), room.address("/garbage.png"), room.address("/bomb.gif"),
            room.address("/half.png"), "http://127.0.0.1:1/a.png", room.address("bar.gif"),
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

    @Test func `one that is cancelled ends each that has not ended, and says so`() async throws {
        let room = try GalleryRoom()
        room.server.hold("door")
        room.server.add("/held.png") { _ in .status(200).after(.wait(gate: "door")) }
        let addresses = (1...6).map { room.address("/held.png?\($0)") }
        let results = try await room.load(addresses, settings: .init(jobs: 2)) { loader in
            #expect(await room.server.reaches("door", count: 2))
            loader.cancel()
        }.results
        #expect(results.count == 6 && results.allSatisfy(\.isInterrupted))
        room.server.release("door")
    }
}
