import TestSupport

@testable import eras

@Suite("The page of a gallery", .timeLimit(.minutes(1)))
struct GalleryPageTests {
    private func tile(_ address: String, _ problem: String = "No.") -> GalleryTile {
        GalleryTile(
            DownloadItem.list([address], directory: ".")[0], .problem(problem))
    }

    private func html(_ tiles: [GalleryTile], sheet: String = "gallery.png") -> String {
        let layout = SheetLayout(count: tiles.count, side: 96)
        return GalleryPage(tiles: tiles, layout: layout, sheet: sheet).html
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

    @Test func `a sheet's name is quoted for addresses and for text`() {
        let page = html([tile("http://h/a")], sheet: "a:b \"c\".png")
        #expect(page.contains("href=\"a%3Ab%20%22c%22.png\""))
        #expect(page.contains("url(\"a%3Ab%20%22c%22.png\")"))
        #expect(page.contains("a:b &quot;c&quot;.png"))
    }
}
