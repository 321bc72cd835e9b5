import Foundation

/// Routes that look at the request's body.
extension Routes {
    /// The JSON of `/echo`.
    private struct Echo: Encodable {
        let method: String
        let target: String
        let headers: [HeaderFields.Field]
        let trailers: [HeaderFields.Field]
        let bytes: Int64
        let body: String?
    }

    /// The JSON of `/upload`; the hash is 16 hexadecimal digits of FNV-1a.
    private struct Upload: Encodable {
        let bytes: Int64
        let fnv: String
    }

    private static let echoLimit = 65_536

    mutating func addUploads() {
        add("/echo", "The request as JSON, with a body up to 64 KiB in base64.") { request in
            let isShort = request.bodyLength <= Routes.echoLimit
            return .json(
                encoding: Echo(
                    method: request.method, target: request.target, headers: request.headers.all,
                    trailers: request.trailers.all, bytes: request.bodyLength,
                    body: isShort ? request.body.base64EncodedString() : nil))
        }
        add("/upload", "Reads the body and sends {\"bytes\":N,\"fnv\":\"HEX\"}, its FNV-1a hash.") {
            request in
            let hex = String(request.bodyHash, radix: 16)
            let padded = String(repeating: "0", count: 16 - hex.count) + hex
            return .json(encoding: Upload(bytes: request.bodyLength, fnv: padded))
        }
        add(
            "/slow-read", "?bps=20000: reads the body at most that fast, then \"read\".",
            beforeBody: true
        ) { request in
            let rate = Double(request.number("bps", or: 20_000, in: 1...(1 << 40)))
            return .text("read").after(.readBodySlowly(bytesPerSecond: rate))
        }
        add("/early-413", "Sends 413 before it reads the body, then closes.", beforeBody: true) {
            _ in
            .status(413, headers: [("Connection", "close")])
        }
        add("/unread", "Reads no byte of the body and sends no response.", beforeBody: true) { _ in
            ScriptedResponse([.stall])
        }
    }
}
