import TestSupport

@testable import OperationNetworking

@Suite("Two programs and one part", .timeLimit(.minutes(2)))
struct LockedFileTests {
    private let path = FileManager.default.temporaryDirectory
        .appendingPathComponent("locked-\(UUID().uuidString)").path

    private func end(_ descriptor: Int32) {
        close(descriptor)
        unlink(path)
        unlink(path + ".finished")
    }

    @Test func `a part that got its final name meanwhile is not the one that is locked`() throws {
        let finished = path + ".finished"
        try Data("whole".utf8).write(to: URL(fileURLWithPath: path))
        let steps = Watched(0)
        let descriptor = try LockedFile.open(path, O_RDWR | O_CREAT | O_CLOEXEC) {
            // The other program is done: once, between the opening and the lock.
            steps.change { $0 += 1 }
            if steps.now == 1 { rename(path, finished) }
        }
        defer { end(descriptor) }
        #expect(steps.now == 2)
        #expect(ftruncate(descriptor, 0) == 0)
        #expect(FileManager.default.contents(atPath: finished) == Data("whole".utf8))
        #expect(FileManager.default.contents(atPath: path) == Data())
    }

    @Test func `a part that is gone meanwhile is not there`() throws {
        try Data("whole".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: DownloadError.disk(action: "open", path: path, code: ENOENT)) {
            try LockedFile.open(path, O_RDWR | O_CLOEXEC) { rename(path, path + ".finished") }
        }
        unlink(path + ".finished")
    }

    @Test func `a file that is opened once more has a position of its own, and is no other file`()
        throws
    {
        try Data("whole".utf8).write(to: URL(fileURLWithPath: path))
        let descriptor = try LockedFile.open(path, O_RDWR | O_CLOEXEC)
        defer { end(descriptor) }
        let again = LockedFile.openAgain(descriptor, path)
        defer { close(again) }
        #expect(lseek(descriptor, 3, SEEK_SET) == 3 && lseek(again, 0, SEEK_CUR) == 0)
        rename(path, path + ".finished")
        #expect(LockedFile.openAgain(descriptor, path) == -1)
        try Data("other".utf8).write(to: URL(fileURLWithPath: path))
        #expect(LockedFile.openAgain(descriptor, path) == -1)
    }
}
