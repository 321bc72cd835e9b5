import NetworkImages
import TestSupport

@testable import eras

@Suite("The page of a gallery", .timeLimit(.minutes(1)))
struct GalleryPageTests {
    private func tile(_ address: String, _ problem: String = "No.") -> GalleryTile {
        GalleryTile(
            DownloadItem.list([address], directory: ".")[0], .problem(problem))
    }

    private func html(_ tiles: [GalleryTile], columns: Int? = nil) -> String {
        GalleryPage(tiles: tiles, side: 96, columns: columns).html
    }

    @Test func `what a server or a list says is text and no HTML`() {
        let page = html([
            tile("http://h/<script>alert(1)</script>", "<b>&\"'"), tile("\"><img src=x>"),
        ])
        #expect(!page.contains("<script") && !page.contains("<img") && !page.contains("<b>"))
        #expect(page.contains("&lt;b&gt;&amp;&quot;&#39;"))
    }

    @Test func `a link has neither user nor password`() {
        let page = html([tile("http://me:secret@h/a.png?x=1")])
        #expect(page.contains("href=\"http://h/a.png?x=1\""))
        #expect(!page.contains("secret"))
    }

    @Test func `only http and https are links`() {
        let page = html([tile("javascript:alert(1)"), tile("file:///etc/passwd")])
        #expect(!page.contains("href=\"javascript") && !page.contains("href=\"file"))
    }

    @Test func `an image has the thumbnail with its number and size, and its name`() throws {
        let image = try #require(
            DecodedImage(
                pixels: Data(count: 3 * 2 * 4), size: PixelSize(width: 3, height: 2)))
        let item = DownloadItem.list(["http://h/%22%3E.png"], directory: ".")[0]
        let page = html([tile("http://h/a"), GalleryTile(item, .image(image, bytes: 9))])
        #expect(
            page.contains(
                "<img src=\"2.png\" alt=\"&quot;&gt;.png\" width=\"3\" height=\"2\" "))
        #expect(page.components(separatedBy: "<img").count == 2)
        #expect(page.contains("<small>3 x 2, 9 B</small>"))
    }

    @Test func `the number of columns is the given one, or as many as fit`() {
        #expect(html([tile("http://h/a")]).contains("repeat(auto-fill, 96px)"))
        #expect(html([tile("http://h/a")], columns: 7).contains("repeat(7, 96px)"))
    }
}
