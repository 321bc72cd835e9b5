import Foundation
import OperationNetworking

struct UploadMeter {
    let manager = HTTPRequestOperationManager()

    func send(
        _ file: URL, to url: String, meter: @escaping @Sendable (Double) -> Void,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        // snippet: begin
        let operation = manager.post(url) { form in
            try? form.appendPart(fileURL: file, name: "video")
        } success: { _, _ in
            completion(nil)
        } failure: { _, error in
            completion(error)
        }
        operation?.setUploadProgressBlock { _, sent, expected in
            if expected > 0 { meter(Double(sent) / Double(expected)) }
        }
        // snippet: end
    }
}
