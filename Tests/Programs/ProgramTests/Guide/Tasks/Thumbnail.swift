import Foundation
import FoundationNetworking
import NetworkImages
import OperationNetworking

// snippet: begin
func thumbnail(of picture: URL, to file: URL) async throws {
    let operation = HTTPRequestOperation(request: URLRequest(url: picture))
    let serializer = ImageResponseSerializer()
    // A larger picture is made smaller while it is decoded; a smaller one stays as it is.
    serializer.targetPixelSize = PixelSize(width: 200, height: 200)
    operation.responseSerializer = serializer
    guard let image = try await operation.result() as? DecodedImage else { return }
    try PNGEncoder().data(for: image).write(to: file)
}
// snippet: end
