import Alamofire
import Foundation
import LoopbackServer
import Testing

@Suite("Old programs: downloads and uploads", .timeLimit(.minutes(2)))
struct OldTransferTests {
    @Test
    func `a picture lies where it was to lie, and the progress ends at one`() async throws {
        let room = try Room()
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        // The body comes once the block for its progress is set.
        room.server.add("/pig.png") { _ in
            .data(data, contentType: "image/png").after(.wait(gate: "pig"))
        }
        let download = PictureDownload(folder: room.folder)
        for _ in 0..<2 {
            room.server.hold("pig")
            let path: String? = await answer {
                download.fetch(room.url("/pig.png"), completion: $0)
                room.server.release("pig")
            }
            #expect(path == room.folder.appendingPathComponent("pictures/pig.png").path)
            #expect(try Data(contentsOf: URL(fileURLWithPath: path ?? "")) == data)
        }
        #expect(download.fractions.last == 1)
        #expect(await answer { download.size(room.url("/pig.png"), completion: $0) } == 200_000)
    }

    @Test
    func `a suggested name`() async throws {
        let room = try Room()
        let name = "old-\(UUID().uuidString).txt"
        room.server.add("/" + name) { _ in .text("hello") }
        let download = PictureDownload(folder: room.folder)
        let url: URL? = await answer {
            download.fetchBySuggestedName(room.url("/" + name), completion: $0)
        }
        defer { url.map { try? FileManager.default.removeItem(at: $0) } }
        #expect(url?.lastPathComponent == name)
    }

    @Test
    func `a download that was stopped goes on`() async throws {
        let room = try Room()
        room.server.hold("half")
        let body = Data(repeating: 7, count: 200_000)
        room.server.add("/file") { request in
            guard let range = request.headers["Range"] else {
                let text = "HTTP/1.1 200 OK\r\nETag: \"one\"\r\nContent-Length: 200000\r\n\r\n"
                return ScriptedResponse([
                    .bytes(Data(text.utf8)), .bytes(body.prefix(100_000)), .wait(gate: "half"),
                ])
            }
            let from = Int(range.dropFirst(6).dropLast()) ?? 0
            return .data(
                body.dropFirst(from), status: 206,
                headers: [("ETag", "\"one\""), ("Content-Range", "bytes \(from)-199999/200000")])
        }
        let download = ResumingDownload()
        let first: Data? = await answer { finish in
            download.fetch(room.url("/file"), completion: finish)
            let received = download
            Thread.detachNewThread {
                while received.request?.progress.completedUnitCount != 100_000 { usleep(1_000) }
                received.stop()
            }
        }
        #expect(first == nil)
        room.server.release("half")
        let second: Data? = await answer { download.fetch(room.url("/file"), completion: $0) }
        #expect(second == body)
        #expect(room.server.requests.last?.headers["Range"] == "bytes=100000-")
    }

    @Test
    func `uploads: a file with progress, bytes, a stream`() async throws {
        let room = try Room()
        let uploader = Uploader()
        let file = try room.file("video.mov", Data(repeating: 1, count: 300_000))
        let json: Any? = await answer { finish in
            uploader.send(file, to: room.url("/post"), completion: finish)
        }
        #expect(((json as? [String: Any])?["data"] as? String)?.count == 300_000)
        #expect(uploader.fractions.last == 1)
        #expect(uploader.fractions == uploader.fractions.sorted())
        let bytes = Data("hello".utf8)
        #expect(
            await answer { uploader.send(bytes, to: room.url("/put"), completion: $0) } == 200)
        #expect(
            await answer {
                uploader.stream(bytes, to: room.server.url("/post"), completion: $0)
            } == 200)
        #expect(room.server.requests.suffix(2).map(\.body) == [bytes, bytes])
    }

    @Test
    func `a form from memory and one from disk`() async throws {
        let room = try Room()
        let form = PhotoForm()
        let thumbnail = try room.file("small.png", Data("PNG".utf8))
        let (value, error): (Any?, Error?) = await answer { finish in
            form.send(
                photo: Data("JPEG".utf8), thumbnail: thumbnail, title: "Sea",
                to: room.url("/post")
            ) { finish(($0, $1)) }
        }
        #expect(error == nil)
        let json = value as? [String: Any]
        #expect(json?["form"] as? [String: String] == ["title": "Sea"])
        #expect(json?["files"] as? [String: String] == ["photo": "JPEG", "thumbnail": "PNG"])
        let (isFromDisk, file): (Bool, URL?) = await answer { finish in
            form.sendFromDisk(Data(count: 1_000), to: room.server.url("/post")) {
                finish(($0, $1))
            }
        }
        #expect(isFromDisk)
        #expect(file != nil)
        let (_, bad): (Any?, Error?) = await answer { finish in
            form.send(
                photo: Data(), thumbnail: room.folder.appendingPathComponent("none.png"),
                title: "", to: room.url("/post")
            ) { finish(($0, $1)) }
        }
        #expect((bad as? AFError)?.isMultipartEncodingError == true)
    }
}
