import OperationNetworking
import TestSupport

@testable import eras

@Suite("File names", .timeLimit(.minutes(2)))
struct FileNamesTests {
    private func names(_ urls: [String]) throws -> [String] {
        var names = FileNames()
        return try urls.map { names.next(for: try #require(URL(string: $0))) }
    }

    @Test(arguments: [
        ("http://h/a/b/photo.jpg", "photo.jpg"),
        ("http://h/photo.jpg?size=2#top", "photo.jpg"),
        ("http://h/%C3%BCber%20uns.html", "über uns.html"),
        ("http://h", "index"), ("http://h/", "index"), ("http://h/folder/", "index"),
        ("http://h/..", "index"), ("http://h/%2E%2E", "index"),
        ("http://h/.gitattributes", ".gitattributes"), ("http://h/...a", "...a"),
        ("http://h/%20.a", ".a"), ("http://h/...", "index"), ("http://h/.%20.", "index"),
        ("http://h/a%2Fb", "b"), ("http://h/..%2F..%2Fetc%2Fpasswd", "passwd"),
        ("http://h/a%2F..", "index"), ("http://h/%2E%CC%81x", ".\u{301}x"), ("http://h/a.", "a"),
        ("http://h/a%00b", "a_b"), ("http://h/a%0D%0Ab", "a__b"), ("http://h/%1B%5B2J", "_[2J"),
        ("http://h/%E2%80%AEgpj.exe", "_gpj.exe"), ("http://h/a%5Cb", "b"),
        ("http://h/%FF%FE", "%FF%FE"),
    ])
    func `the name is the path's last part, decoded and harmless`(
        url: String, expected: String
    ) throws {
        #expect(try names([url]) == [expected])
    }

    @Test func `files of one name are numbered in the order of the list`() throws {
        let urls = ["http://h/a", "http://i/a", "http://h/x.txt", "http://j/a", "http://h/x.txt?2"]
        let expected = ["a", "a-2", "x.txt", "a-3", "x-2.txt"]
        #expect(try names(urls) == expected)
        #expect(try names(urls) == expected)
    }

    @Test func `a name that begins with a dot is numbered at its end`() throws {
        #expect(
            try names(["http://h/.a", "http://i/.a", "http://h/.a.txt", "http://i/.a.txt"])
                == [".a", ".a-2", ".a.txt", ".a-2.txt"])
    }

    @Test func `a number is not used twice when a name looks numbered`() throws {
        #expect(
            try names(["http://h/a-2", "http://h/a", "http://i/a", "http://i/a-2"])
                == ["a-2", "a", "a-3", "a-2-2"])
    }

    @Test func `no file has the name of another's part or record`() throws {
        #expect(
            try names(["http://h/a.part", "http://h/a", "http://h/a-2.part.json"])
                == ["a.part", "a-2", "a-2.part-2.json"])
    }

    @Test func `names that differ only in capitals are numbered too`() throws {
        #expect(try names(["http://h/README", "http://h/readme"]) == ["README", "readme-2"])
    }

    @Test func `a long name is cut at a character and keeps its ending and its number`() throws {
        let long = String(repeating: "%C3%BC", count: 200) + ".tar"
        let names = try names(["http://h/\(long)", "http://i/\(long)"])
        for name in names {
            #expect((name + DownloadPlace.longestSuffix).utf8.count <= 255)
            #expect(name.utf8.count > 235)
        }
        #expect(names[0].hasSuffix("ü.tar"))
        #expect(names[1].hasSuffix("ü-2.tar"))
    }

    @Test func `thousands of one name are numbered quickly and without gaps`() throws {
        let names = try names(Array(repeating: "http://h/a", count: 20_000))
        #expect(names.last == "a-20000")
        #expect(Set(names).count == 20_000)
    }

    @Test(arguments: [(".", "a"), ("out", "out/a"), ("out/", "out/a"), ("/", "/a")])
    func `the place is inside the directory`(directory: String, path: String) {
        let place = FilePlace(directory: directory, name: "a")
        #expect(place.path == path)
        #expect(place.part == path + ".part")
        #expect(place.record == path + ".part.json")
    }
}
