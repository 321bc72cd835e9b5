import Foundation

/// Fixed documents.
extension Routes {
    mutating func addHttpbinFormats() {
        add("/html", "A page with one heading.") { _ in
            .text(Routes.page, contentType: "text/html; charset=utf-8")
        }
        add("/json", "A slideshow of two slides as JSON.") { _ in .json(Routes.slideshow) }
        add("/xml", "The same slideshow as XML.") { _ in
            .text(Routes.slideshowXML, contentType: "application/xml")
        }
        add("/forms/post", "A form that is sent to /post.") { _ in
            .text(Routes.form, contentType: "text/html; charset=utf-8")
        }
        add("/links/", listed: "/links/N/OFFSET", "N links to /links/N/0 and on.", isPrefix: true) {
            request, _ in
            let parts = request.rest(after: "/links/").split(separator: "/").map { Int($0) }
            guard let count = parts.first.flatMap(\.self), 1...200 ~= count else {
                return .status(404)
            }
            guard parts.count == 2, let offset = parts[1] else {
                return parts.count == 1 ? .redirect(to: "/links/\(count)/0") : .status(404)
            }
            return .text(
                Routes.links(count, without: offset), contentType: "text/html; charset=utf-8")
        }
    }

    private static func links(_ count: Int, without offset: Int) -> String {
        let links = (0..<count).map {
            $0 == offset ? "\($0)" : "<a href='/links/\(count)/\($0)'>\($0)</a>"
        }
        return "<html><head><title>Links</title></head><body>\(links.joined(separator: " "))"
            + "</body></html>\n"
    }

    private static let form = """
        <!DOCTYPE html>
        <html>
        <head><title>A form</title></head>
        <body>
        <form method="post" action="/post">
        <p><label>Customer name: <input name="custname"></label></p>
        <p><label>Telephone: <input type="tel" name="custtel"></label></p>
        <p><label><input type="radio" name="size" value="small"> Small</label>
        <label><input type="radio" name="size" value="large"> Large</label></p>
        <p><label>Comments: <textarea name="comments"></textarea></label></p>
        <p><button>Submit</button></p>
        </form>
        </body>
        </html>

        """

    private static let page = """
        <!DOCTYPE html>
        <html>
        <head><title>A page</title></head>
        <body><h1>One heading</h1><p>And a paragraph.</p></body>
        </html>

        """

    private static let slideshow = """
        {"slideshow": {"author": "A. Nobody", "date": "today", "title": "Two slides", "slides": [
        {"title": "First", "type": "all"},
        {"title": "Second", "type": "all", "items": ["One <em>item</em>", "Another item"]}
        ]}}
        """

    private static let slideshowXML = """
        <?xml version='1.0' encoding='us-ascii'?>
        <slideshow title="Two slides" date="today" author="A. Nobody">
            <slide type="all"><title>First</title></slide>
            <slide type="all">
                <title>Second</title>
                <item>One <em>item</em></item>
                <item/>
                <item>Another item</item>
            </slide>
        </slideshow>
        """
}
