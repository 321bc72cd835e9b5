import Foundation
import LoopbackServer
import NetworkImages
import OperationNetworking

// The server has a white picture, 400 pixels wide and 300 high.
let pixels = Data(repeating: 255, count: 400 * 300 * 4)
guard let white = DecodedImage(pixels: pixels, size: PixelSize(width: 400, height: 300)) else {
    fatalError("a pixel has four bytes")
}
let picture = try PNGEncoder().data(for: white)
let server = LoopbackServer()
server.add("/hill.png") { _ in .data(picture, contentType: "image/png") }
try server.start()
let file = FileManager.default.temporaryDirectory.appendingPathComponent("thumbnail.png")

let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/hill.png")))
let serializer = ImageResponseSerializer()
// The picture fits into this, and keeps its proportions.
serializer.targetPixelSize = PixelSize(width: 200, height: 200)
operation.responseSerializer = serializer
guard let image = try await operation.result() as? DecodedImage else {
    fatalError("the serializer makes a DecodedImage")
}
try PNGEncoder().data(for: image).write(to: file)
print("\(image.pixelSize.width) x \(image.pixelSize.height) pixels in \(file.lastPathComponent)")
