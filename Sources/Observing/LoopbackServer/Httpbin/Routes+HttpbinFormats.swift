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
        add("/links/", rest: "N/OFFSET", "N links to /links/N/0 and on.") { rest, _, _ in
            let parts = rest.split(separator: "/").map { Int($0) }
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

/// httpbin's images, as PNG, JPEG, WebP and SVG.
extension Routes {
    mutating func addHttpbinImages() {
        add("/image", "A picture of the kind that Accept asks for; 406 for others.") { request in
            let accepted = (request.headers["Accept"] ?? "*/*").lowercased()
            if accepted.contains("image/svg+xml") { return .svg }
            if accepted.contains("image/jpeg") { return .jpeg }
            if ["image/png", "image/*", "*/*"].contains(where: accepted.contains) { return .png }
            return accepted.contains("image/webp") ? .webp : .status(406)
        }
        add("/image/jpeg", "The picture of /image/png as JPEG.") { _ in .jpeg }
        add("/image/png", "A picture of 16 by 16 points as PNG.") { _ in .png }
        add("/image/webp", "The picture of /image/png as WebP.") { _ in .webp }
        add("/image/svg", "A circle as SVG.") { _ in .svg }
    }

    fileprivate static let png =
        Data(
            base64Encoded:
                "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAABlklEQVR42hXRURVEIQhFUSMYgQhGMAIR"
                + "iGCEE8EIRiACEYhABCLMG7/ZrMt1jMEcyGAN9kAHNjgDBnfwBj6IQQ5q0IMxJnMikzXZE53Y5EyY3Mmb"
                + "+CQmOalJzw8IUxBhCVtQwYQjIFzhCS6EkEIJLR9YzIUs1mIvdGGLs2BxF2/hi1jkoha9PrCZG9mszd7o"
                + "xjZnw+Zu3sY3sclNbXp/QJmKKEvZiiqmHAXlKk9xJZRUSmn9gDENMZaxDTXMOAbGNZ7hRhhplNH2gcM8"
                + "yGEd9kEPdjgHDvfwDn6IQx7q0OcD/wK/Sr4jv9hfkG/1N/x/Fx44BCQU9Pc94zIvclmXfdGLXc79j9/L"
                + "u/glLnmpS98PPOZDHuuxH/qwx3n/5ffxHv6IRz7q0e8DznTEWc521DHn+D/KdZ7jTjjplNP+gWAGEqxg"
                + "BxpYcOIf/AYv8CCCDCro+EAyE0lWshNNLDn5P/MmL/Ekkkwq6fxAMQspVrELLaw49S/lFq/wIoosquj6"
                + "QDMbaVazG22sOf2v8Dav8SaabKrp5geIAnAQC3NfwAAAAABJRU5ErkJggg==") ?? Data()

    /// The same picture: 317 bytes, quality 75, chroma at half the size.
    fileprivate static let jpeg =
        Data(
            base64Encoded:
                "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwg"
                + "JC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/2wBDAQkJCQwLDBgNDRgyIRwhMjIyMjIyMjIyMjIy"
                + "MjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjIyMjL/wAARCAAQABADASIAAhEBAxEB/8QA"
                + "FQABAQAAAAAAAAAAAAAAAAAABgf/xAAYEAACAwAAAAAAAAAAAAAAAAAABAUiMf/EABUBAQEAAAAAAAAA"
                + "AAAAAAAAAAED/8QAGhEAAgIDAAAAAAAAAAAAAAAAAAUEBiExYf/aAAwDAQACEQMRAD8An6MFlBMhBZQS"
                + "oQWUE6MFlCktr0K+71k//9k=") ?? Data()

    fileprivate static let webp =
        Data(
            base64Encoded:
                "UklGRlAAAABXRUJQVlA4IEQAAADwAQCdASoQABAAAgA0JbACdAEPC/vL1QAA/vxrUVaE1U+E"
                + "cy6/cFnZ//BZZvJta7pDdcdXZBV/+AYL//88f/P0MgAAAA==") ?? Data()
}

extension ScriptedResponse {
    fileprivate static var png: ScriptedResponse { .data(Routes.png, contentType: "image/png") }

    fileprivate static var jpeg: ScriptedResponse {
        .data(Routes.jpeg, contentType: "image/jpeg")
    }

    fileprivate static var webp: ScriptedResponse {
        .data(Routes.webp, contentType: "image/webp")
    }

    fileprivate static var svg: ScriptedResponse {
        .text(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 2 2\">"
                + "<circle cx=\"1\" cy=\"1\" r=\"1\"/></svg>\n",
            contentType: "image/svg+xml")
    }
}

/// httpbin's paths whose bodies are in a content coding.
extension Routes {
    mutating func addHttpbinCodings() {
        add("/gzip", "The request as JSON, gzip encoded.") { request in
            .coded("gzip", "gzipped", request, StoredCoding.gzip)
        }
        add("/deflate", "The request as JSON, deflate encoded with a zlib header.") { request in
            .coded("deflate", "deflated", request, StoredCoding.zlib)
        }
        add("/brotli", "The request as JSON, brotli encoded.") { request in
            .coded("br", "brotli", request, StoredCoding.brotli)
        }
    }
}

extension ScriptedResponse {
    fileprivate static func coded(
        _ coding: String, _ flag: String, _ request: RecordedRequest, _ encode: (Data) -> Data
    ) -> ScriptedResponse {
        let echo = HttpbinEcho(request)
        let object: [String: Any] = [
            flag: true, "headers": echo.headers, "method": request.method, "origin": "127.0.0.1",
        ]
        guard let text = SortedJSON.data(of: object) else { return .status(500) }
        return .data(
            encode(text), headers: [("Content-Encoding", coding)],
            contentType: "application/json")
    }
}
