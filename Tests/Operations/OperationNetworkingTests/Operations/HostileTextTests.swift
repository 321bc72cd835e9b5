import CurlConnection
import TestSupport

@testable import OperationNetworking

/// A server's words in errors and descriptions move no terminal's cursor.
@Suite("Texts without control characters", .timeLimit(.minutes(5)))
struct HostileTextTests {
    private static let hostile = "\u{1B}]0;t\u{7}\u{9B}31m\u{7F}\u{202E}x"
    private let world = TestWorld()

    private func expectHarmless(_ texts: [String], _ note: String) {
        for text in texts {
            let isHarmless = text.unicodeScalars.allSatisfy { scalar in
                switch scalar.value {
                case 0x0A, 0x09: true
                case 0..<0x20, 0x7F...0x9F, 0x202A...0x202E, 0x2066...0x2069: false
                default: true
                }
            }
            #expect(isHarmless, "\(note): \(text.debugDescription)")
        }
    }

    private func texts(of error: any Error) -> [String] {
        let info = (error as NSError).userInfo
        return [error.localizedDescription, "\(error)", String(reflecting: error)]
            + info.values.compactMap { $0 as? String }
    }

    @Test(arguments: [
        ("Content-Encoding", 200), ("Content-Length", 200), ("Transfer-Encoding", 200),
        ("Content-Type", 200), ("Location", 302), ("WWW-Authenticate", 401),
        ("Content-Range", 206), ("Content-Disposition", 200), ("X-Field", 404),
    ])
    func `an operation that a hostile head fails says so without its control characters`(
        name: String, status: Int
    ) async {
        let head = "HTTP/1.1 \(status) \(Self.hostile)\r\n\(name): \(Self.hostile)\r\n\r\nbody"
        world.server.add("/hostile") { _ in
            ScriptedResponse([.bytes(Data(head.utf8)), .close])
        }
        let serializers: [HTTPResponseSerializer] = [
            HTTPResponseSerializer(), JSONResponseSerializer(), XMLDocumentResponseSerializer(),
        ]
        for serializer in serializers {
            let operation = world.httpOperation("/hostile")
            operation.responseSerializer = serializer
            await operation.run()
            let error = operation.error
            expectHarmless(error.map(texts) ?? [], name)
            expectHarmless([operation.description, operation.debugDescription], name)
        }
    }

    @Test(arguments: [
        "{\"\u{1B}]0;\": \u{1B}}", "\u{1B}[", "<a><\u{1B}]0;t\u{7}>", "<?xml version=\"\u{9B}\"?>",
        "<!DOCTYPE plist><plist><\u{1B}[31m/></plist>", "bplist00\u{1B}\u{7}",
    ])
    func `a hostile body's error says so without its control characters`(body: String) {
        let serializers: [HTTPResponseSerializer] = [
            JSONResponseSerializer(), XMLDocumentResponseSerializer(),
            XMLParserResponseSerializer(), PropertyListResponseSerializer(),
        ]
        for serializer in serializers {
            serializer.acceptableContentTypes = nil
            let result = serializer.responseObject(
                for: Responses.http(200, "a/b"), data: Data(body.utf8))
            if let error = result.error { expectHarmless(texts(of: error), body) }
        }
    }

    @Test
    func `each kind of error has none, whatever it is made of`() {
        let hostile = Self.hostile
        let errors: [any Error] = [
            ResponseSerializationError(
                .unacceptableContentType(hostile), response: nil, data: nil,
                underlying: RequestSerializationError(.badURL, hostile)),
            ResponseSerializationError(
                .undecodableImage, response: nil, data: nil,
                underlying: URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: hostile])),
            RequestSerializationError(.badURL, hostile), DownloadError.refused(hostile),
            DownloadError.disk(action: "open", path: hostile, code: 1),
            DownloadError.otherFile(path: hostile, length: 1, expectedLength: 2),
            MultipartError(.refusedHeader, hostile),
        ]
        for error in errors {
            expectHarmless([error.localizedDescription, "\(error)"], "\(type(of: error))")
        }
        // Theirs is made printable before they are made.
        let others: [any Error] = [
            BodyReadingError.notAnEventStream(status: 200, type: hostile),
            ArchiveError.unexpectedClass(hostile),
        ]
        for error in others {
            expectHarmless([error.localizedDescription], "\(type(of: error))")
        }
    }
}
