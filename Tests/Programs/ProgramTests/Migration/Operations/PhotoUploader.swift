import Foundation
import FoundationNetworking
import OperationNetworking

struct PhotoUploader {
    let manager: HTTPRequestOperationManager

    // snippet: begin
    func upload(
        photo: Data, thumbnail: URL, title: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        manager.post("photos", parameters: ["title": title]) { form in
            form.appendPart(
                fileData: photo, name: "photo", fileName: "photo.jpg", mimeType: "image/jpeg")
            try? form.appendPart(fileURL: thumbnail, name: "thumbnail")
            form.appendPart(formData: Data("public".utf8), name: "visibility")
        } success: { _, _ in
            completion(nil)
        } failure: { _, error in
            completion(error)
        }
    }
    // snippet: end
}
