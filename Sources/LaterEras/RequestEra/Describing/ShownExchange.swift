import EventRecorder
import Foundation
import HTTPSemantics
import FoundationNetworking
import OperationNetworking

/// The lines about a request and its response that the descriptions of responses begin with.
enum ShownExchange {
    static func text(_ request: URLRequest?, _ response: HTTPURLResponse?) -> String {
        let line = request.map { request in
            let url = request.url.map { Redaction.address($0.absoluteString) } ?? "nil"
            return "\(request.httpMethod ?? "GET") \(url)"
        }
        return """
            [Request]: \(line ?? "nil")
            [Request Body]: \n\(ShownBody.text(request?.httpBody) ?? "None")
            [Response]: \(response?.shown ?? "nil")
            """.printableLines
    }
}
