import TestSupport

@testable import eras

@Suite("The list of downloads", .timeLimit(.minutes(2)))
struct DownloadItemTests {
    @Test(arguments: [
        ("http://h/テスト%20file.txt", "http://h/%E3%83%86%E3%82%B9%E3%83%88%20file.txt"),
        ("http://h/my file%2Fa.txt", "http://h/my%20file%2Fa.txt"),
    ])
    func `escapes of an address stay as they are`(text: String, url: String) throws {
        #expect(try DownloadItem.url(text).absoluteString == url)
    }

    @Test(arguments: [
        ("ftp://h/a", "Only http and https URLs can be fetched, not ftp."),
        ("file:///etc/passwd", "Only http and https URLs can be fetched, not file."),
        ("h/a", "This is no URL; write it as https://host/path."),
        ("", "This is no URL; write it as https://host/path."),
        ("http://", "The URL names no host; write it as http://host/path."),
        ("http://h/a\r\nX: y", "The URL holds a control character, for example a line end."),
        ("http://h/a\nb", "The URL holds a control character, for example a line end."),
        ("http://h/a\0b", "The URL holds a control character, for example a line end."),
    ])
    func `an unusable URL is reported and the others keep their names`(
        text: String, problem: String
    ) throws {
        let items = DownloadItem.list(["http://h/a", text, "http://i/a"], directory: "d")
        #expect(items[1].problem.map(ErrorSentence.text) == problem)
        #expect(items[1].target == nil)
        #expect(items[0].target?.place.path == "d/a")
        #expect(items[2].target?.place.path == "d/a-2")
        #expect(items.map(\.index) == [0, 1, 2])
    }
}
