import Foundation

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

    /// The same picture: 317 bytes, quality 75, colors at half the size.
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
