import CurlConnection
import OperationNetworking
import TestSupport

@testable import DurableQueue

@Suite("A durable queue's disk", .timeLimit(.minutes(5)))
struct DurableDiskTests {
    private let world = TestWorld.durable()
    private let disk = TestDisk()

    private func open(suspended: Bool = true) async throws -> DurableQueue {
        try await world.open { options in
            options.isSuspended = suspended
            options.disk = disk.disk
        }
    }

    /// The entries that a process would find after a power cut now.
    private func afterPowerCut() throws -> [UUID] {
        let other = world.queueFolder.appendingPathExtension("copy")
        defer { try? FileManager.default.removeItem(at: other) }
        try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
        // It was synced under the name that it had before the rename.
        let made = world.file.appendingPathExtension("new")
        let image = try #require(disk.image(world.file) ?? disk.image(made))
        try image.write(to: other.appendingPathComponent("queue.sqlite"))
        let journal = URL(fileURLWithPath: world.file.path + "-journal")
        try disk.image(journal)?.write(to: other.appendingPathComponent("queue.sqlite-journal"))
        let (store, entries) = try DurableStore.open(other.path)
        store.close()
        return entries.map(\.id)
    }

    // MARK: Accepting

    @Test func `nothing is accepted before it is on the disk`() async throws {
        let queue = try await open(suspended: false)
        let stop = disk.stopNextSync()
        let accepted = Log<UUID>()
        let adding = Task {
            accepted.add(try await queue.add(world.post("/in/1", body: Data("one".utf8))))
        }
        await stop.isHeld.wait()
        #expect(try afterPowerCut().isEmpty)
        #expect(queue.entries.isEmpty && accepted.all.isEmpty && world.paths.isEmpty)
        stop.release()
        try await adding.value
        await queue.waitUntilEmpty()
        #expect(world.outcomes == ["delivered 200"])
    }

    @Test func `what is accepted is there after a power cut, a long body before its entry`()
        async throws
    {
        let queue = try await open()
        var ids: [UUID] = []
        for number in 0..<20 {
            let body = Data(count: number.isMultiple(of: 5) ? 60_000 : 300)
            let before = disk.synced.count
            ids.append(try await queue.add(world.post("/in/\(number)", body: body)))
            #expect(try afterPowerCut() == ids)
            guard number.isMultiple(of: 5) else { continue }
            let names = disk.synced[before...].map { URL(fileURLWithPath: $0).lastPathComponent }
            #expect(names[1] == "bodies")
            #expect(Set(names.dropFirst(2)).contains("queue.sqlite"))
            let bodies = world.queueFolder.appendingPathComponent("bodies")
            #expect(disk.image(bodies.appendingPathComponent(names[0])) == body)
        }
    }

    // MARK: A disk that refuses

    @Test func `a full disk refuses what is new with its reason, and it goes on with room`()
        async throws
    {
        let queue = try await open()
        var ids: [UUID] = []
        for number in 0..<3 {
            ids.append(try await queue.add(world.post("/in/\(number)"), orderedBy: "k"))
        }
        let before = try world.bytes()
        // A part can be written, then nothing; of the last the body, and not its entry.
        for (left, body) in [(100, 20_000), (0, 20_000), (100, 60_000), (60_050, 60_000)] {
            disk.room = left
            var request = world.post("/in/no", body: Data(count: body))
            request.setValue(String(repeating: "x", count: 10_000), forHTTPHeaderField: "X-Long")
            let error = await #expect(throws: DurableQueueError.self) {
                try await queue.add(request)
            }
            guard case .disk(let action, let path, ENOSPC) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(action == "write" && path.hasPrefix(world.queueFolder.path))
            #expect(error?.localizedDescription.contains("No space left on device") == true)
            #expect(queue.entries.map(\.id) == ids)
            #expect(try world.bytes() == before)
            let bodies = world.queueFolder.appendingPathComponent("bodies").path
            #expect(try FileManager.default.contentsOfDirectory(atPath: bodies).isEmpty)
        }
        disk.room = nil
        ids.append(try await queue.add(world.post("/in/3"), orderedBy: "k"))
        #expect(try afterPowerCut() == ids)
        queue.isSuspended = false
        await queue.waitUntilEmpty()
        #expect(world.paths == (0..<4).map { "/in/\($0)" })
    }

    @Test func `after a sync that failed the queue goes on, without what was refused`() async throws
    {
        let queue = try await open()
        let first = try await queue.add(world.post("/in/1"))
        disk.refusesSyncs = true
        let error = await #expect(throws: DurableQueueError.self) {
            try await queue.add(world.post("/in/no"))
        }
        #expect(error == .disk(action: "sync", path: world.file.path, code: EIO))
        #expect(queue.entries.map(\.id) == [first])
        disk.refusesSyncs = false
        let second = try await queue.add(world.post("/in/2"))
        await queue.close()
        let again = try await world.open()
        await again.waitUntilEmpty()
        #expect(Set(world.keys) == [first.uuidString, second.uuidString] && world.keys.count == 2)
    }

    @Test
    func `an end that cannot be written keeps the next of its key back, and is written later`()
        async throws
    {
        let queue = try await open()
        for number in 1...2 {
            try await queue.add(world.post("/in/\(number)"), orderedBy: "k")
        }
        disk.refusesSyncs = true
        queue.isSuspended = false
        // With all that waits, and alone.
        await disk.refusals.wait(for: 2)
        #expect(world.outcomes == ["delivered 200"] && world.paths == ["/in/1"])
        disk.refusesSyncs = false
        // The end is written after a pause, or before it, if the second refusal was of another change.
        let isEmpty = await waitUntil {
            if world.clock.alarms.contains(where: { $0 <= DurableRun.pause }) {
                world.clock.turn(by: DurableRun.pause)
            }
            return queue.entries.isEmpty
        }
        #expect(isEmpty)
        #expect(world.paths == ["/in/1", "/in/2"])
    }

    @Test func `an end that could not be written is written before the queue is closed`()
        async throws
    {
        let queue = try await open()
        try await queue.add(world.post("/in/1"))
        disk.refusesSyncs = true
        queue.isSuspended = false
        await disk.refusals.wait(for: 2)
        disk.refusesSyncs = false
        await queue.close()
        let again = try await world.open()
        await again.waitUntilEmpty()
        #expect(world.outcomes == ["delivered 200"] && world.paths == ["/in/1"])
    }

    @Test func `a closed queue writes what has ended, also where it cannot write the rest`()
        async throws
    {
        world.server.add("/busy") { _ in .status(503) }
        let queue = try await open()
        try await queue.add(world.post("/in/1"))
        let id = try await queue.add(world.post("/busy"))
        disk.refusesSyncs = true
        queue.isSuspended = false
        #expect(await waits(queue, id) { if case .retry? = $0 { true } else { false } })
        // Both with all that waits, and the end alone.
        await disk.refusals.wait(for: 4)
        disk.refusesSyncs = false
        disk.refuseSync(after: 0)
        await queue.close()
        let (store, entries) = try DurableStore.open(world.queueFolder.path)
        store.close()
        #expect(entries.map(\.id) == [id])
    }

    // MARK: A file system that is full

    /// `DURABLE_DISK=/a/folder` is one on a small file system of its own, such as a tmpfs of 1 MiB.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["DURABLE_DISK"] != nil))
    func `a full file system refuses what is new, loses nothing, and lets it go on with room`()
        async throws
    {
        let base = URL(
            fileURLWithPath: ProcessInfo.processInfo.environment["DURABLE_DISK"] ?? "/")
        let folder = base.appendingPathComponent("queue")
        let ballast = base.appendingPathComponent("ballast")
        try Data(count: 200_000).write(to: ballast)
        defer {
            for file in [folder, ballast] { try? FileManager.default.removeItem(at: file) }
        }
        let reported = Log<UUID>()
        func open() async throws -> DurableQueue {
            var options = DurableQueue.Options()
            options.isSuspended = true
            return try await DurableQueue(
                folder: folder, manager: world.manager(), options: options
            ) { entry, _ in reported.add(entry.id) }
        }
        func fill(
            _ queue: DurableQueue, _ limit: Int = .max
        ) async -> (ids: [UUID], errors: [any Error]) {
            var (ids, errors): ([UUID], [any Error]) = ([], [])
            while errors.count < 20, ids.count < limit {
                // Some long ones, while there is room for them.
                let isLong = limit == .max && ids.count % 5 == 3 && errors.isEmpty
                let body = Data(count: isLong ? 40_000 : 300)
                do {
                    ids.append(
                        try await queue.add(
                            world.post("/in/\(ids.count)", body: body),
                            orderedBy: "\(ids.count % 3)"))
                } catch {
                    errors.append(error)
                }
            }
            return (ids, errors)
        }
        var queue = try await open()
        let (ids, errors) = await fill(queue)
        print("full disk: \(ids.count) accepted, then: \(errors.first?.localizedDescription ?? "")")
        #expect(
            errors.allSatisfy {
                if case DurableQueueError.disk(_, _, ENOSPC) = $0 { true } else { false }
            })
        #expect(queue.entries.map(\.id) == ids)
        // Another process finds them on the disk that is still full.
        await queue.close()
        queue = try await open()
        #expect(queue.entries.map(\.id) == ids)
        // Some room.
        try FileManager.default.removeItem(at: ballast)
        let more = await fill(queue, 50).ids
        #expect(more.count == 50)
        // Full again, and what was accepted is sent all the same.
        _ = FileManager.default.createFile(atPath: ballast.path, contents: nil)
        let file = try FileHandle(forWritingTo: ballast)
        while (try? file.write(contentsOf: Data(count: 4_096))) != nil {}
        queue.isSuspended = false
        await queue.waitUntilEmpty()
        #expect(reported.all.count == ids.count + 50 && Set(reported.all) == Set(ids + more))
        #expect(world.keys.count == ids.count + 50)
        await queue.close()
        // Nor is anything sent again.
        queue = try await open()
        #expect(queue.entries.isEmpty)
        await queue.close()
    }
}
