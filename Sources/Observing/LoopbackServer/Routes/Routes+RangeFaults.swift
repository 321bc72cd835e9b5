import Foundation

/// Routes that handle ranges and entity tags incorrectly.
extension Routes {
    mutating func addRangeFaults() {
        add("/range-ignored", "?length=1000&seed=1: 200 and the whole file to every range.") {
            request in
            let length = Routes.fileLength(request)
            return ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(
                        200, [("Content-Length", "\(length)"), ("ETag", "\"ignored\"")])),
                .generated(seed: Routes.seed(request), range: 0..<length),
            ])
        }
        add(
            "/range-wrong",
            "?length=1000&seed=1: 206 that starts 10 bytes behind the wanted offset."
        ) {
            request in
            let length = Routes.fileLength(request)
            guard case .part(let range) = ByteRange(request.headers["Range"], length: length) else {
                return .generatedFile(
                    seed: Routes.seed(request), length: length, request: request)
            }
            let sent = min(range.lowerBound + 10, range.upperBound - 1)..<range.upperBound
            let head = ScriptedResponse.head(
                206,
                [
                    ("Content-Length", "\(sent.count)"),
                    ScriptedResponse.contentRange(sent, of: length),
                ])
            return ScriptedResponse([
                .bytes(head), .generated(seed: Routes.seed(request), range: sent),
            ])
        }
        add("/range-416", "?length=1000&seed=1: 416 to every range, else the whole file.") {
            request in
            let length = Routes.fileLength(request)
            guard request.headers["Range"] != nil else {
                return .generatedFile(
                    seed: Routes.seed(request), length: length, request: request)
            }
            return .text("", status: 416, headers: [("Content-Range", "bytes */\(length)")])
        }
        add(
            "/etag-changes", listed: nil, "?length=1000&seed=1: a file with a new tag each request."
        ) {
            request, state in
            let version = state.journal.count("etag-changes")
            return .generatedFile(
                seed: Routes.seed(request), length: Routes.fileLength(request),
                etag: "\"v\(version)\"", lastModified: nil, request: request)
        }
    }

    private static func fileLength(_ request: RecordedRequest) -> Int64 {
        request.number("length", or: 1_000, in: 1...longest)
    }
}
