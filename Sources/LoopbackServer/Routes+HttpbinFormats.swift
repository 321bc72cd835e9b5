import Foundation

/// Fixed documents, and the paths that ask for a user and a password.
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

    mutating func addHttpbinAuthorization() {
        for (prefix, refusal) in [("/basic-auth/", 401), ("/hidden-basic-auth/", 404)] {
            add(
                prefix, shown: prefix + "USER/PASS",
                "JSON for these Basic credentials, or \(refusal).",
                isPrefix: true
            ) { request, _ in
                let words = request.rest(after: prefix).split(separator: "/")
                guard words.count == 2 else { return .status(404) }
                let token = Data("\(words[0]):\(words[1])".utf8).base64EncodedString()
                if request.headers["Authorization"] == "Basic \(token)" {
                    return .json(object: ["authenticated": true, "user": String(words[0])])
                }
                let challenge = [("WWW-Authenticate", "Basic realm=\"Fake Realm\"")]
                return .data(
                    Data(), status: refusal, headers: refusal == 401 ? challenge : [],
                    contentType: "text/html; charset=utf-8")
            }
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
