import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier D: program 40 without the login, the session era, the exports and the terminal, which
    /// come with later work.
    @Suite("D: the sync engine", .timeLimit(.minutes(5)))
    struct SyncEngineTests {
        private static let count = 30
        private static let size: Int64 = 20_000
        private static let flaky: Set = ["file-04", "file-15", "file-26"]
        private static let cancelled: Set = ["file-10", "file-20"]

        private let folder = TemporaryFolder()

        private static func name(_ index: Int) -> String {
            "file-" + (index < 10 ? "0" : "") + "\(index)"
        }

        /// The list, and its files: each stops once in the middle, at the gate "half".
        private func serve(_ server: LoopbackServer) {
            let names = (0..<Self.count).map(Self.name)
            server.add("/list") { _ in .json(encoding: ["files": names]) }
            let tries = Watched<[String: Int]>([:])
            server.add("/files/", isPrefix: true) { request in
                let name = request.path.split(separator: "/").last.map(String.init) ?? ""
                guard let index = names.firstIndex(of: name) else { return .status(404) }
                let count = tries.change { tries in
                    tries[name, default: 0] += 1
                    return tries[name, default: 0]
                }
                if count == 1, Self.flaky.contains(name) { return .status(503) }
                let seed = UInt64(index)
                // One that was paused before its start asks for all by a range (HO-12).
                guard ["bytes=0-", nil].contains(request.headers["Range"]) else {
                    return .generatedFile(seed: seed, length: Self.size, request: request)
                }
                let head = [
                    ("ETag", "\"g\(seed)-\(Self.size)\""), ("Content-Length", "\(Self.size)"),
                ]
                return ScriptedResponse([
                    .bytes(ScriptedResponse.head(200, head)),
                    .generated(seed: seed, range: 0..<Self.size / 2), .wait(gate: "half"),
                    .generated(seed: seed, range: Self.size / 2..<Self.size),
                ])
            }
        }

        @Test
        func `40. The sync engine`() async throws {
            try await Exam.run { exam in
                let server = try exam.loopback()
                serve(server)
                let engine = SyncEngine(exam, folder.url)
                let log = Watched(0)
                let observer = NotificationCenter.default.addObserver(
                    forName: .networkingOperationDidFinish, object: nil, queue: nil
                ) { notification in
                    if notification.object is FileOperation { log.change { $0 += 1 } }
                }
                defer { NotificationCenter.default.removeObserver(observer) }
                let names = try await engine.list()
                #expect(names.count == Self.count)
                engine.download(names)

                try await pauseAndResume(exam, engine, server)
                engine.cancel(Self.cancelled)
                try await offlineGap(exam, engine, server)

                await engine.state.wait(until: "the end of every file") {
                    $0.ends.count == Self.count
                }
                try expectFolder(engine.state.now)
                let manifest = try await engine.uploadManifest()
                #expect(manifest.text("form", "count") == "\(Self.count - Self.cancelled.count)")
                #expect(manifest.text("files", "manifest")?.contains("file-29") == true)
                #expect(server.statistics.peakInFlight == 3)
                // 30 files, 3 of them twice, and a finish for each of the 3 that were paused.
                await log.wait(until: "the activity log") { $0 == Self.count + 3 + 3 }
            }
        }

        /// Pauses everything while three files are half there, then lets it go on by range.
        private func pauseAndResume(
            _ exam: Exam, _ engine: SyncEngine, _ server: LoopbackServer
        ) async throws {
            await exam.reached("half", count: 3)
            await engine.state.wait(until: "three halves") {
                $0.bytes.values.filter { $0 == Self.size / 2 }.count == 3
            }
            engine.pauseAll()
            await exam.serverSees("the pause") { statistics, _ in statistics.inFlight == 0 }
            await MainQueue.settle()
            #expect(engine.manager.operations.allSatisfy { !$0.isExecuting && !$0.isReady })
            let before = server.statistics.requests
            engine.resumeAll()
            // Three go on by range; the next three stop at the gate, in the places they left.
            await exam.reached("half", count: 6)
            let rest = "bytes=\(Self.size / 2)-"
            let ranges = server.requests.dropFirst(before).map { $0.headers["Range"] }
            #expect(ranges.count { $0 == rest } == 3)
        }

        /// No link for a while: what runs ends by itself, nothing starts.
        private func offlineGap(
            _ exam: Exam, _ engine: SyncEngine, _ server: LoopbackServer
        ) async throws {
            engine.manager.isSuspended = true
            server.release("half")
            await exam.serverSees("the last of those that ran") { statistics, _ in
                statistics.inFlight == 0
            }
            let before = server.statistics.requests
            await MainQueue.settle()
            #expect(server.statistics.requests == before)
            #expect(engine.state.now.ends.count < Self.count)
            engine.manager.isSuspended = false
        }

        private func expectFolder(_ state: SyncEngine.State) throws {
            let ends = Dictionary(grouping: state.ends.keys) { state.ends[$0] }
            #expect(Set(ends[.cancelled] ?? []) == Self.cancelled && ends[.failed] == nil)
            #expect(state.retries.keys.sorted() == Self.flaky.sorted())
            #expect(state.retries.values.allSatisfy { $0 == 1 })
            let saved = (0..<Self.count).map(Self.name).filter { !Self.cancelled.contains($0) }
            let found = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
            #expect(found.sorted() == saved)
            for (index, name) in (0..<Self.count).map({ ($0, Self.name($0)) })
            where saved.contains(name) {
                let wanted = GeneratedBytes.bytes(seed: UInt64(index), range: 0..<Self.size)
                #expect(try Data(contentsOf: folder.file(name)) == wanted, "\(name)")
            }
            // Overall progress: every byte of what was saved, and no other.
            #expect(state.bytes.values.reduce(0, +) == Self.size * Int64(saved.count))
        }
    }
}
