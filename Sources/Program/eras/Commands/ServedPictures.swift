import DrawnPictures
import Foundation
import LoopbackServer
import TimelinePage

/// The folder of generated pictures of `eras serve`, with an index and a list of addresses.
struct ServedPictures: Sendable {
    static let folder = "/pictures/"
    static let list = folder + "list.txt"

    private let pictures: [GeneratedPicture]
    /// "http" or "https".
    private let scheme: String

    /// - Throws: `ImageDecodingError` where there is no memory.
    init(scheme: String) throws {
        pictures = try GeneratedPicture.all()
        self.scheme = scheme
    }

    func add(to routes: inout Routes) {
        routes.add(Self.list, "The addresses of the pictures, for eras gallery --input.") {
            .text(addresses($0).map { $0 + "\n" }.joined())
        }
        routes.add(
            Self.folder, "Pictures that code drew: \(pictures.count), and a page that shows them.",
            isPrefix: true
        ) { request in
            let name = request.path.dropFirst(Self.folder.count)
            if name.isEmpty { return index(request) }
            guard let picture = pictures.first(where: { $0.name == name }) else {
                return .status(404)
            }
            return .data(picture.data, contentType: picture.contentType)
        }
    }

    private func addresses(_ request: RecordedRequest) -> [String] {
        pictures.map { "\(origin(request))\(Self.folder)\($0.name)" }
    }

    /// The server's origin by the name that the client used.
    private func origin(_ request: RecordedRequest) -> String {
        "\(scheme)://\(request.headers["Host"] ?? "127.0.0.1")"
    }

    private func index(_ request: RecordedRequest) -> ScriptedResponse {
        let figures = pictures.map { picture in
            """
            <figure><img src="\(picture.name)" alt="">
            <figcaption>\(picture.name)</figcaption></figure>

            """
        }
        let command = HTMLText.escaped("eras gallery --input \(origin(request))\(Self.list)")
        return .text(
            """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>Pictures that code drew</title>
            <style>
            body { font-family: sans-serif; margin: 2rem; }
            figure { display: inline-block; margin: 0 1rem 1rem 0; vertical-align: top; }
            figcaption { color: #5a6068; font-size: .875rem; }
            </style>
            </head>
            <body>
            <h1>Pictures that code drew</h1>
            <p>On one page: <code>\(command)</code></p>
            \(figures.joined())</body>
            </html>

            """, contentType: "text/html; charset=utf-8")
    }
}
