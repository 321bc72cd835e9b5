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
    }

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
