import Foundation
import OperationNetworking
import SessionEra

struct AlbumClient {
    let manager = HTTPSessionManager()

    // snippet: begin
    func send(
        _ photo: Data, to url: String, progress: @escaping @Sendable (Double) -> Void,
        completion: @escaping @Sendable (Bool) -> Void
    ) {
        manager.post(
            url, parameters: ["album": "sea"],
            constructingBodyWith: { form in
                form.appendPart(
                    fileData: photo, name: "photo", fileName: "p.jpg", mimeType: "image/jpeg")
            },
            progress: { progress($0.fractionCompleted) },
            success: { _, _ in completion(true) }, failure: { _, _ in completion(false) })
    }
    // snippet: end
}
