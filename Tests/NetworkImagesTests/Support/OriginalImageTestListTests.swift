import Foundation
import Testing

@Suite("The list of the originals' image tests", .timeLimit(.minutes(1)))
struct OriginalImageTestListTests {
    private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let page = folder.deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Documentation/ImageTests.md")

    @Test func `every test of cache, downloader and serializer is listed, once`() {
        let counts = Dictionary(grouping: OriginalImageTest.all, by: \.file).mapValues(\.count)
        #expect(
            counts == [
                "AFAutoPurgingImageCacheTests": 16, "AFImageDownloaderTests": 19,
                "AFImageResponseSerializerTests": 4, "ImageCacheTests": 18,
            ])
        let names = OriginalImageTest.all.map { $0.file + $0.name }
        #expect(Set(names).count == names.count)
    }

    @Test func `every test that answers for an original exists`() throws {
        var texts: [String: String] = [:]
        let files = FileManager.default.enumerator(
            at: Self.folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            texts[file.deletingPathExtension().lastPathComponent] = try String(
                contentsOf: file, encoding: .utf8)
        }
        for test in OriginalImageTest.all {
            guard case .here(let file, let name) = test.answer else { continue }
            let isThere = texts[file]?.contains("`\(name)`(") == true
            #expect(isThere, "\(test.name): \(file) has no test \(name)")
        }
    }

    @Test func `Documentation/ImageTests.md shows the list`() throws {
        if ProcessInfo.processInfo.environment["UPDATE_IMAGE_TESTS"] != nil {
            try OriginalImageTest.page.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOf: Self.page, encoding: .utf8) == OriginalImageTest.page,
            "Run: UPDATE_IMAGE_TESTS=1 swift test --filter OriginalImageTestListTests")
    }
}
