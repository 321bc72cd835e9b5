import OperationNetworking
import SessionEra
import TestSupport

@Suite("Resume data: UM-07, LX-07", .timeLimit(.minutes(1)))
final class ResumeDataTests {
    private let world = TestWorld.sessions()
    private let place = TestWorld.freshPlace()
    private let size = 200_000

    init() {
        add("/file", etag: "\"one\"")
    }

    /// Resume data that nobody may have used; its files are removed at the end.
    private let made = Log<Data>()

    deinit {
        try? FileManager.default.removeItem(at: place)
        for data in made.all {
            let facts = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
            guard let name = facts?["file"] as? String else { continue }
            try? FileManager.default.removeItem(
                at: FileManager.default.temporaryDirectory.appendingPathComponent(name))
        }
    }

    /// A file whose first answer stops at half, and whose later ones are whole.
    private func add(
        _ path: String, etag: String?, second: (@Sendable () -> ScriptedResponse)? = nil
    ) {
        let size = Int64(size)
        world.server.add(path) { request in
            let validator = etag.map { [("ETag", $0)] } ?? []
            guard let range = request.headers["Range"] else {
                return ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, [("Content-Length", "\(size)")] + validator)),
                    .generated(seed: 1, range: 0..<size / 2), .stall,
                ])
            }
            if let second { return second() }
            let first = range.dropFirst("bytes=".count).split(separator: "-").first
            let offset = first.flatMap { Int64($0) } ?? 0
            return ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(
                        206,
                        [
                            ("Content-Length", "\(size - offset)"),
                            ("Content-Range", "bytes \(offset)-\(size - 1)/\(size)"),
                        ] + validator)), .generated(seed: 1, range: offset..<size),
            ])
        }
    }

    /// Cancels a download at half.
    private func cancelled(_ path: String) async -> (resumeData: Data?, error: (any Error)?) {
        let (task, errors) = world.downloadTask(world.request(path))
        task.resume()
        while task.countOfBytesReceived < Int64(size / 2) { await Task.yield() }
        let data = await withCheckedContinuation { continuation in
            task.cancel { continuation.resume(returning: $0) }
        }
        #expect(await errors.reaches(1))
        if let data { made.add(data) }
        return (data, errors.all.first?.error)
    }

    private func continued(_ data: Data, in other: TestWorld? = nil) async -> Outcome {
        let world = other ?? world
        return await world.download { [place] handler in
            world.manager.downloadTask(
                withResumeData: data, destination: { _, _ in place }, completionHandler: handler)
        }
    }

    private var whole: Data { GeneratedBytes.bytes(seed: 1, range: 0..<Int64(size)) }

    @Test func `a rest that stops short of the total it names is no whole file`() async throws {
        let size = Int64(size)
        world.server.add("/short") { request in
            guard request.headers["Range"] != nil else {
                let head = [("Transfer-Encoding", "chunked"), ("ETag", "\"one\"")]
                let length = String(size / 2, radix: 16)
                return ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, head) + Data("\(length)\r\n".utf8)),
                    .generated(seed: 1, range: 0..<size / 2), .stall,
                ])
            }
            let head = [
                ("Content-Range", "bytes \(size / 2)-\(size / 2 + 9)/\(size)"),
                ("Content-Length", "10"), ("ETag", "\"one\""),
            ]
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(206, head)),
                .generated(seed: 1, range: size / 2..<size / 2 + 10),
            ])
        }
        let data = try #require(await cancelled("/short").resumeData)
        let outcome = await continued(data)
        #expect((outcome.error as? URLError)?.code == .networkConnectionLost)
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test func `UM-07.1 cancelling gives resume data, and the error has it too`() async throws {
        let (data, error) = await cancelled("/file")
        #expect(data != nil)
        let failure = try #require(error as? URLError)
        #expect(failure.code == .cancelled)
        #expect(failure.errorUserInfo[URLSessionDownloadTaskResumeData] as? Data == data)
    }

    @Test
    func `UM-07.2 a task of it asks for the rest, with the validator, and gives the whole file`()
        async throws
    {
        let resumed = Log<[Int64]>()
        world.manager.setDownloadTaskDidResumeBlock { _, _, offset, total in
            resumed.add([offset, total])
        }
        let data = try #require(await cancelled("/file").resumeData)
        let outcome = await continued(data)
        #expect(outcome.error == nil)
        #expect(try Data(contentsOf: place) == whole)
        let second = try #require(world.server.requests.last)
        #expect(second.headers["If-Range"] == "\"one\"")
        #expect(second.headers["Range"] == "bytes=\(size / 2)-")
        #expect(resumed.all == [[Int64(size / 2), Int64(size)]])
    }

    @Test func `UM-07.2 the progress of such a task begins at the offset and ends at the whole`()
        async throws
    {
        let log = Log<[Int64]>()
        let data = try #require(await cancelled("/file").resumeData)
        _ = await world.download { [place] handler in
            world.manager.downloadTask(
                withResumeData: data,
                progress: { log.add([$0.completedUnitCount, $0.totalUnitCount]) },
                destination: { _, _ in place }, completionHandler: handler)
        }
        #expect(log.all.first == [Int64(size / 2), Int64(size)])
        #expect(log.all.last == [Int64(size), Int64(size)])
    }

    @Test func `200 replaces what there was`() async throws {
        add("/changed", etag: "\"one\"") {
            ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(200, [("Content-Length", "1000"), ("ETag", "\"two\"")])),
                .generated(seed: 2, range: 0..<1000),
            ])
        }
        let data = try #require(await cancelled("/changed").resumeData)
        #expect(await continued(data).error == nil)
        #expect(try Data(contentsOf: place) == GeneratedBytes.bytes(seed: 2, range: 0..<1000))
    }

    @Test(
        arguments: ["wrong range", "416", "500", "other validator"])
    func `what does not continue the file is an error, and no file comes of it`(_ name: String)
        async throws
    {
        let size = size
        add("/odd", etag: "\"one\"") {
            switch name {
            case "416":
                .text("", status: 416, headers: [("Content-Range", "bytes */5")])
            case "500": .status(500)
            default:
                .text(
                    "1234567890", status: 206,
                    headers: [
                        (
                            "Content-Range",
                            name == "wrong range"
                                ? "bytes 0-9/\(size)"
                                : "bytes \(size / 2)-\(size / 2 + 9)/\(size)"
                        ), ("ETag", name == "wrong range" ? "\"one\"" : "\"two\""),
                    ])
            }
        }
        let data = try #require(await cancelled("/odd").resumeData)
        let outcome = await continued(data)
        guard case .cannotContinueDownload(_, let kept)? = outcome.error as? SessionError else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        made.add(try #require(kept))
        #expect(!FileManager.default.fileExists(atPath: place.path))
    }

    @Test(arguments: [401, 500, 503])
    func `a refusal of the rest keeps the part, and has the resume data for it`(
        _ status: Int
    ) async throws {
        let size = Int64(size)
        let first = Log<Bool>()
        add("/busy", etag: "\"one\"") {
            defer { first.add(true) }
            if first.all.isEmpty {
                return .text(
                    "no", status: status, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
            }
            return ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(
                        206,
                        [
                            ("Content-Length", "\(size / 2)"), ("ETag", "\"one\""),
                            ("Content-Range", "bytes \(size / 2)-\(size - 1)/\(size)"),
                        ])), .generated(seed: 1, range: size / 2..<size),
            ])
        }
        let refused = await continued(try #require(await cancelled("/busy").resumeData)).error
        guard case .cannotContinueDownload(_, let resumeData)? = refused as? SessionError else {
            Issue.record("\(String(describing: refused))")
            return
        }
        let info = try #require(refused as NSError?).userInfo
        #expect(info[URLSessionDownloadTaskResumeData] as? Data == resumeData)
        #expect(await continued(try #require(resumeData)).error == nil)
        #expect(try Data(contentsOf: place) == whole)
    }

    @Test
    func `a refusal that credentials could change reports no resumption, bytes or progress`()
        async throws
    {
        add("/refused", etag: "\"one\"") {
            .text("refused", status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
        }
        let data = try #require(await cancelled("/refused").resumeData)
        let reports = Log<String>()
        world.manager.setDownloadTaskDidResumeBlock { _, _, _, _ in reports.add("resumed") }
        world.manager.setDownloadTaskDidWriteDataBlock { _, _, _, _, _ in reports.add("wrote") }
        let outcome = await world.download { [place] handler in
            world.manager.downloadTask(
                withResumeData: data, progress: { _ in reports.add("progress") },
                destination: { _, _ in place }, completionHandler: handler)
        }
        guard case .cannotContinueDownload(_, let kept)? = outcome.error as? SessionError else {
            Issue.record("\(String(describing: outcome.error))")
            return
        }
        made.add(try #require(kept))
        #expect(reports.all == [])
    }

    @Test
    func `a part that is shorter than its resume data says is removed`() async throws {
        let data = try #require(await cancelled("/file").resumeData)
        let facts = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let folder = FileManager.default.temporaryDirectory
        let part = folder.appendingPathComponent(try #require(facts?["file"] as? String))
        let odd = Int.random(in: 50_000..<90_000)
        try FileHandle(forWritingTo: part).truncate(atOffset: UInt64(odd))
        guard case .unusableResumeData = await continued(data).error as? SessionError else {
            Issue.record("A short part was taken.")
            return
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
            let path = folder.appendingPathComponent(name).path
            let facts = try? FileManager.default.attributesOfItem(atPath: path)
            return name.hasSuffix(".download") && (facts?[.size] as? NSNumber)?.intValue == odd
        }
        #expect(left.isEmpty)
    }

    @Test func `a plain cancellation gives no resume data`() async throws {
        let (task, errors) = world.downloadTask(world.request("/file"))
        task.resume()
        while task.countOfBytesReceived < Int64(size / 2) { await Task.yield() }
        task.cancel()
        #expect(await errors.reaches(1))
        let failure = try #require(errors.all.first?.error as? URLError)
        #expect(failure.errorUserInfo[URLSessionDownloadTaskResumeData] == nil)
    }

    @Test func `without a validator there is no resume data`() async {
        add("/plain", etag: nil)
        #expect(await cancelled("/plain").resumeData == nil)
    }

    @Test func `a task that has ended gives no resume data`() async {
        let log = Log<SessionDownloadTask>()
        let task = world.manager.downloadTask(with: world.request("/ok"))
        world.manager.setTaskDidComplete { _, _, _ in log.add(task) }
        task.resume()
        #expect(await log.reaches(1))
        let data = await withCheckedContinuation { continuation in
            task.cancel { continuation.resume(returning: $0) }
        }
        #expect(data == nil)
    }

    @Test func `a transfer that breaks has resume data in its error`()
        async throws
    {
        let size = Int64(size)
        let place = place
        world.server.add("/breaks") { request in
            guard request.headers["Range"] == nil else {
                return ScriptedResponse([
                    .bytes(
                        ScriptedResponse.head(
                            206,
                            [
                                ("Content-Length", "\(size - 1000)"), ("ETag", "\"b\""),
                                ("Content-Range", "bytes 1000-\(size - 1)/\(size)"),
                            ])), .generated(seed: 1, range: 1000..<size),
                ])
            }
            return ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(200, [("Content-Length", "\(size)"), ("ETag", "\"b\"")])),
                .generated(seed: 1, range: 0..<1000), .close,
            ])
        }
        let failure = try #require(
            await world.download("/breaks", to: place).error as? URLError)
        let data = try #require(
            failure.errorUserInfo[URLSessionDownloadTaskResumeData] as? Data)
        #expect(await continued(data).error == nil)
        #expect(try Data(contentsOf: place) == whole)
    }

    @Test func `resume data that is foreign, used or names another file fails clearly`()
        async throws
    {
        let data = try #require(await cancelled("/file").resumeData)
        let text = String(decoding: data, as: UTF8.self)
        let elsewhere = text.replacingOccurrences(of: "\"file\":\"", with: "\"file\":\"..\\/")
        #expect(await continued(data).error == nil)
        for foreign in [Data(), Data("nonsense".utf8), Data(elsewhere.utf8), data] {
            let outcome = await continued(foreign)
            guard case .unusableResumeData = outcome.error as? SessionError else {
                Issue.record("\(String(describing: outcome.error))")
                continue
            }
        }
        #expect(world.manager.tasks.isEmpty)
    }

    @Test func `a task that an invalid session could not make leaves the part to the next`()
        async throws
    {
        let data = try #require(await cancelled("/file").resumeData)
        world.manager.invalidateSessionCancelingTasks(true, resetSession: false)
        #expect(await continued(data).error as? SessionError == .sessionInvalidated)
        let other = TestWorld.sessions()
        #expect(await continued(data, in: other).error == nil)
        #expect(try Data(contentsOf: place) == whole)
    }

    @Test func `resume data holds no credentials`() async throws {
        var request = world.request("/file")
        var parts = try #require(
            request.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) })
        parts.user = "login"
        parts.password = "hidden"
        request.url = parts.url
        request.setValue("Bearer hidden", forHTTPHeaderField: "Authorization")
        request.setValue("kept", forHTTPHeaderField: "X-Kept")
        let task = world.manager.downloadTask(with: request)
        task.resume()
        while task.countOfBytesReceived < Int64(size / 2) { await Task.yield() }
        let data = await withCheckedContinuation { continuation in
            task.cancel { continuation.resume(returning: $0) }
        }
        made.add(try #require(data))
        let text = String(decoding: try #require(data), as: UTF8.self)
        #expect(!text.contains("hidden"))
        #expect(!text.contains("login"))
        #expect(text.contains("kept"))
        #expect(await continued(try #require(data)).error == nil)
        #expect(try Data(contentsOf: place) == whole)
    }
}
