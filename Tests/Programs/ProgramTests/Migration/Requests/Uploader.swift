import Foundation
import FoundationNetworking
import RequestEra

struct Uploader {
    // snippet: begin
    func send(
        _ file: URL, to url: String, progress: @escaping @Sendable (Double) -> Void,
        completion: @escaping @Sendable (Int?) -> Void
    ) {
        SessionManager.default.upload(file, to: url)
            .uploadProgress { progress($0.fractionCompleted) }  // on main
            .responseJSON { completion($0.response?.statusCode) }
    }
    // snippet: end
}
