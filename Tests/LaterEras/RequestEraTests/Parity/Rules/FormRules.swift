import Foundation
import ParitySupport

/// Why forms differ from their recordings, and how exactly.
enum FormRules {
    static let all: [ParityRule] = [
        ParityRule(
            .statement(35), "Quotes and line breaks in names are escaped.",
            .on("name/quote/file") { $1.replacing("a%22b", with: "a\\\"b") }
        ) { recorded in
            let names = parts(recorded).flatMap(names).filter { escaped($0) != $0 }
            guard !names.isEmpty else { return nil }
            return changedBodies(recorded) { text in
                names.reduce(text) {
                    $0.replacingOccurrences(
                        of: "name=\"\($1)\"", with: "name=\"\(escaped($1))\"")
                }
            }
        },
        ParityRule(
            .statement(35), "A control character in a part's header is refused.",
            .on(controlCharacter) { $1.replacing("request", with: "response") }
        ) { recorded in
            let bad = parts(recorded).filter(hasControlCharacter)
            guard !bad.isEmpty, recorded.output["body"] != nil else { return nil }
            let error: GoldenValue = [
                "domain": "com.alamofire.error.serialization.request", "code": -1000,
            ]
            let gone = bad.reduce(0) { $0 + (length($1) ?? 0) }
            return recorded.changed([
                "body": nil, "fileBody": nil, "fileEqualsBody": nil, "encodeError": error,
                "writeError": error, "fileExistsAfterError": false,
                "contentLength": .int((recorded.output["contentLength"]?.int ?? 0) - gone),
            ])
        },
        ParityRule(
            .statement(35), "A form can be encoded again: its bodies are whole.",
            .on("again/encode-twice") {
                ["first": $1["first"] ?? .null, "second": SeenValue.data(Data())]
            }
        ) { recorded in
            guard recorded.input["calls"] == ["encode", "encode"],
                let first = recorded.output["first"]
            else { return nil }
            return recorded.changed(["second": first])
        },
        ParityRule(
            .statement(35), "A part that comes after an encoding is the new last one.",
            .on("again/append-after-encode") {
                ["first": $1["first"] ?? .null, "second": $1["first"] ?? .null]
            }
        ) { recorded in
            guard recorded.input["calls"] == ["append a", "encode", "append b", "encode"],
                let first = recorded.output["first"]?["utf8"]?.string,
                let boundary = recorded.input["boundary"]?.string
            else { return nil }
            let close = "--\(boundary)--\r\n"
            let field = "Content-Disposition: form-data; name=\"b\"\r\n\r\n2\r\n"
            let second = first.dropLast(close.count) + "--\(boundary)\r\n" + field + close
            return recorded.changed(["second": SeenValue.data(Data(second.utf8))])
        },
        ParityRule(
            .statement(35), "A file that cannot be made is an error.",
            .on("write/missing-directory") {
                $1.replacing("outputStreamCreationFailed", with: "outputStreamURLInvalid")
            }
        ) { recorded in
            guard recorded.output["wrote"]?.isNil == true, let url = recorded.input["url"],
                let text = url.string, text.hasPrefix("file://")
            else { return nil }
            return [
                "error": [
                    "AFError": "multipartEncodingFailed.outputStreamCreationFailed",
                    "isMultipartEncodingError": true, "url": url,
                    "localizedDescription": .string(
                        "Failed to create an OutputStream for URL: \(text)"),
                ]
            ]
        },
    ]

    private static func parts(_ recorded: RecordedCase) -> [GoldenValue] {
        recorded.input["parts"]?.elements ?? []
    }

    /// The names of a part; a file without a name of its own has its URL's.
    private static func names(_ part: GoldenValue) -> [String] {
        let own = [part["name"]?.string, part["fileName"]?.string].compactMap(\.self)
        let file = part["url"]?.string.flatMap { $0.components(separatedBy: "/").last }
        return own + [file?.removingPercentEncoding].compactMap(\.self)
    }

    /// As the HTML standard escapes names of forms.
    private static func escaped(_ name: String) -> String {
        String(
            name.unicodeScalars.map { scalar in
                switch scalar {
                case "\"": "%22"
                case "\r": "%0D"
                case "\n": "%0A"
                default: String(scalar)
                }
            }.joined())
    }

    /// The recording with other bodies.
    private static func changedBodies(
        _ recorded: RecordedCase, _ change: (String) -> String
    ) -> GoldenValue? {
        var members: [String: GoldenValue?] = [:]
        for name in ["body", "fileBody"] {
            guard let text = recorded.output[name]?["utf8"]?.string else { return nil }
            members[name] = SeenValue.data(Data(change(text).utf8))
        }
        return recorded.changed(members)
    }

    private static func hasControlCharacter(_ part: GoldenValue) -> Bool {
        let values =
            [part["mimeType"]?.string].compactMap(\.self)
            + (part["headers"]?.members.flatMap { [$0.key, $0.value.string ?? ""] } ?? [])
        return values.contains { $0.utf8.contains { $0 < 0x20 && $0 != 9 || $0 == 0x7F } }
    }

    private static func length(_ part: GoldenValue) -> Int? {
        part["length"]?.int ?? (try? part["data"]?.swiftData().count)
    }

    private static let controlCharacter: RecordedCase = {
        let body = SeenValue.data(Data("--b\r\n…".utf8))
        return RecordedCase([
            "id": "made-up/control-character",
            "input": [
                "boundary": "b",
                "parts": [
                    [
                        "append": "data", "data": "bar", "name": "n", "fileName": "f",
                        "mimeType": "text/plain\r\nX-Injected: yes",
                    ]
                ],
            ],
            "output": [
                "body": body, "fileBody": body, "fileEqualsBody": true, "contentLength": 3,
                "contentType": "multipart/form-data; boundary=b",
            ],
        ])
    }()
}
