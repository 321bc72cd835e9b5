import TestSupport

@Suite("The list of the originals' image tests", .timeLimit(.minutes(1)))
struct OriginalImageTestListTests {
    private static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let page = packageFolder.appendingPathComponent("Documentation/ImageTests.md")

    @Test func `all 60 of AFNetworking are listed, and 61 of AlamofireImage, each once`() {
        let counts = Dictionary(grouping: OriginalImageTest.all, by: \.file).mapValues(\.count)
        #expect(
            counts == [
                "AFAutoPurgingImageCacheTests": 16, "AFImageDownloaderTests": 19,
                "AFImageResponseSerializerTests": 4, "AFUIImageViewTests": 7, "AFUIButtonTests": 3,
                "AFNetworkActivityManagerTests": 5, "AFUIActivityIndicatorViewTests": 3,
                "AFUIRefreshControlTests": 3, "ImageCacheTests": 18, "ImageDownloaderTests": 32,
                "RequestTests": 11,
            ])
        let names = OriginalImageTest.all.map { $0.file + $0.name }
        let answered = OriginalImageTest.all.count {
            if case .here = $0.answer { true } else { false }
        }
        #expect(answered == names.count - 2)
        #expect(Set(names).count == names.count)
    }

    @Test func `every test that answers for an original exists`() throws {
        var texts: [String: String] = [:]
        let others = packageFolder.appendingPathComponent(
            "Tests/Operations/OperationNetworkingTests/Activity")
        for folder in [Self.folder, others] {
            let files = FileManager.default.enumerator(
                at: folder, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                texts[file.deletingPathExtension().lastPathComponent] = try String(
                    contentsOf: file, encoding: .utf8)
            }
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
