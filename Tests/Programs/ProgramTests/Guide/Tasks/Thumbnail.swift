import Foundation
import FoundationNetworking
import NetworkImages
import OperationNetworking

// snippet: begin
func thumbnail(of picture: URL, to file: URL) async throws {
    let operation = HTTPRequestOperation(request: URLRequest(url: picture))
    let serializer = ImageResponseSerializer()
    // A larger picture is made to fit, with its proportions: 400 x 300 pixels become 200 x 150.
    serializer.targetPixelSize = PixelSize(width: 200, height: 200)
    operation.responseSerializer = serializer
    guard let image = try await operation.result() as? DecodedImage else {
        throw URLError(.cannotDecodeContentData)
    }
    try PNGEncoder().data(for: image).write(to: file)
}
// snippet: end
