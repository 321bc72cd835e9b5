import Foundation
import RequestEra

struct PhotoForm {
    // snippet: begin
    func send(
        photo: Data, thumbnail: URL, title: String, to url: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        SessionManager.default.upload(
            multipartFormData: { form in
                form.append(Data(title.utf8), withName: "title")
                form.append(
                    photo, withName: "photo", fileName: "photo.jpg", mimeType: "image/jpeg")
                form.append(thumbnail, withName: "thumbnail")
            }, to: url
        ) { result in
            switch result {
            case .success(let upload, _, _):
                upload.responseJSON { completion($0.error) }
            case .failure(let error):
                completion(error)
            }
        }
    }
    // snippet: end
}
