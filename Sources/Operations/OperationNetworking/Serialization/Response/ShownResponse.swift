import EventRecorder
import Foundation
package import FoundationNetworking

extension URLResponse {
    /// The text of Foundation's description, without secrets.
    package var shown: String {
        let address = Unmanaged.passUnretained(self).toOpaque()
        let url = url.map { Redaction.address($0.absoluteString) } ?? "nil"
        var text = "<\(type(of: self)) \(address)> { URL: \(url) }"
        guard let response = self as? HTTPURLResponse else { return text }
        let fields = response.allHeaderFields.map { ("\($0)", "\($1)") }.sorted { $0.0 < $1.0 }
        text += "{ status: \(response.statusCode), headers {\n"
        for field in Redaction.fields(fields.map { (name: $0, value: $1) }) {
            text += "   \"\(field.name)\" = \(field.value);\n"
        }
        return text.printableLines + "} }"
    }
}
