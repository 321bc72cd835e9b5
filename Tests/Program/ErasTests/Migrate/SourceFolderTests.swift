import TestSupport

@testable import eras

@Suite("The sources below a folder", .timeLimit(.minutes(1)))
struct SourceFolderTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("scan-\(UUID().uuidString)").path

    private func write(_ name: String, _ text: String = "AFHTTPSessionManager\n") throws {
        let url = URL(fileURLWithPath: "\(folder)/\(name)")
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func remove() { try? FileManager.default.removeItem(atPath: folder) }

    private var own: (SourceFolder) -> [String] {
        { $0.paths.map { String($0.dropFirst(folder.count + 1)) } }
    }

    @Test func `sources are in order, and what is not the project's own is passed over`() throws {
        defer { remove() }
        for name in ["b.m", "a.swift", "in/c.mm", "in/d.h", "notes.txt", ".git/e.m", "Pods/f.m"] {
            try write(name)
        }
        try write("Vendor/AFNetworking/AFURLRequestSerialization.h")
        try write("Vendor/AFNetworking/g.m")
        let found = try SourceFolder(folder)
        #expect(own(found) == ["a.swift", "b.m", "in/c.mm", "in/d.h"])
        #expect(found.skipped == ["\(folder)/Pods", "\(folder)/Vendor/AFNetworking"])
        #expect(found.omissions == [])
        #expect(own(try SourceFolder("\(folder)/b.m")) == ["b.m"])
    }

    @Test func `a source named - is the file, and not standard input`() async throws {
        defer { remove() }
        try write("-")
        let place = URL(fileURLWithPath: folder)
        let ending = try await Program.run(["migrate", "--scan", "-"], in: place)
        #expect(ending.output.contains("AFHTTPSessionManager"), "\(ending)")
    }

    @Test func `links are not followed, and pipes are not waited for`() throws {
        defer { remove() }
        try write("real/a.m")
        let manager = FileManager.default
        try manager.createSymbolicLink(
            atPath: "\(folder)/round", withDestinationPath: folder)
        try manager.createSymbolicLink(
            atPath: "\(folder)/b.m", withDestinationPath: "\(folder)/real/a.m")
        #expect(mkfifo("\(folder)/c.m", 0o600) == 0)
        let found = try SourceFolder(folder)
        #expect(own(found) == ["real/a.m"])
        #expect(found.links == 2)
        // One that is named is meant.
        let named = try SourceFolder("\(folder)/b.m")
        #expect(throws: Never.self) { try named.contents(named.paths[0]).get() }
    }

    @Test func `what is too large, too deep or too much is said`() throws {
        defer { remove() }
        try write("a.m")
        try write("large.m", String(repeating: "x", count: 101))
        try write("1/2/3/deep.m")
        let limits = SourceFolder.Limits(bytes: 100, depth: 2, files: 1)
        try write("b.m")
        let found = try SourceFolder(folder, limits: limits)
        #expect(found.paths.count == 1)
        #expect(
            found.omissions.map(\.reason) == [
                "more than 2 folders in each other", "more than 1 sources",
                "more than 100 bytes",
            ])
        let report = MigrateCommand.report([found])
        #expect(!report.isClean)
        #expect(report.text.contains("large.m: not read: more than 100 bytes\n"))
    }

    @Test func `the program says what is left, and its code whether anything is`() async throws {
        defer { remove() }
        try write("a\u{1B}[2J.m")
        let left = try await Program.run(["migrate", "--scan", folder])
        #expect(left.code == 1)
        #expect(left.output.contains("/a?[2J.m:1: AFHTTPSessionManager: HTTPSessionManager\n"))
        #expect(
            left.output.hasSuffix(
                ": 1 renamed name, 0 notes from the migration guide, 0 names without a replacement.\n"
            ))
        remove()
        try write("a.m", "int main(void) { return 0; }\n")
        let done = try await Program.run(["migrate", "--scan", folder])
        #expect(done.code == 0)
        #expect(done.output == "1 source: nothing left to do.\n")
        let none = try await Program.run(["migrate", "--scan", "\(folder)/none"])
        #expect(none.code == 2)
        #expect(none.errors.hasPrefix("eras: Could not read \(folder)/none: No such file"))
        #expect(try await Program.run(["migrate"]).code == 2)
    }
}
