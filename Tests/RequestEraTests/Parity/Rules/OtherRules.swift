import Foundation
import ParitySupport

extension RequestParity {
    static let validation = RequestParity(
        file: "validation", rules: [], play: ValidationCases.play)
    static let serialization = RequestParity(
        file: "serialization", rules: SerializationRules.all, play: SerializationCases.play)
    static let results = RequestParity(file: "results", rules: [], play: ResultCases.play)
    static let curl = RequestParity(
        file: "lifecycle", rules: CurlRules.all, isPlayed: { $0.id.hasPrefix("curl/") },
        play: CurlCases.play)
}

/// Why serialized bodies differ from their recordings, and how exactly.
enum SerializationRules {
    static let all = [
        RequestRule(
            statement: 30, reason: "Text in EUC-JP is read.", example: .madeUp(japanese),
            wrong: { $0.replacing("hello", with: "") },
            allowed: { recorded in
                let error = recorded.output["result"]?["failure"]
                guard error?["failedStringEncoding"] == 3,
                    let data = try? recorded.input["data"]?.swiftData(),
                    // ASCII is EUC-JP; other bytes are looked at in `TextEncoding`'s tests.
                    let text = String(data: data, encoding: .ascii)
                else { return nil }
                return recorded.changed(["result": ["success": .string(text)]])
            })
    ]

    private static let japanese = RecordedCase([
        "id": "made-up/euc-jp",
        "input": [
            "Content-Type": "text/plain; charset=euc-jp", "data": "hello", "encoding": "nil",
        ],
        "output": [
            "textEncodingName": "euc-jp",
            "result": [
                "failure": [
                    "AFError": "responseSerializationFailed.stringSerializationFailed",
                    "failedStringEncoding": 3, "isResponseSerializationError": true,
                    "localizedDescription":
                        "String could not be serialized with encoding: Japanese (EUC).",
                ]
            ],
        ],
    ])
}

/// Why curl's text differs from its recordings, and how exactly.
enum CurlRules {
    static let all = [
        RequestRule(
            statement: 18,
            reason: "Words are in single quotes, which a shell leaves alone, and hold no secret.",
            example: .recorded("curl/credential"),
            wrong: { $0.replacing("REDACTED", with: "p") },
            allowed: { recorded in
                guard let text = recorded.output["debugDescription"]?.string,
                    let description = recorded.output["description"]?.string,
                    text.hasPrefix("$ curl -v")
                else { return nil }
                return [
                    "debugDescription": .string(
                        words(text).map(quoted).joined(separator: " \\\n\t")),
                    "description": .string(withoutUser(description)),
                ]
            })
    ]

    private static func words(_ text: String) -> [String] {
        let words = text.components(separatedBy: " \\\n\t")
        // What is sent has one field of a name, in whatever case: the request's own.
        return words.filter { word in
            guard word.hasPrefix("-H \""), let name = name(word) else { return true }
            let same = words.filter { $0.hasPrefix("-H \"") && self.name($0) == name }
            return same.count < 2 || word == same.min()
        }
    }

    private static func name(_ word: String) -> String? {
        word.dropFirst(4).components(separatedBy: ":").first?.lowercased()
    }

    /// One word of the original's text as it is shown here.
    private static func quoted(_ word: String) -> String {
        if word.hasPrefix("$ ") || word.hasPrefix("-X ") { return word }
        if word.hasPrefix("-u ") {
            let user = word.dropFirst(3).components(separatedBy: ":")[0]
            return "-u " + inQuotes(user + ":REDACTED")
        }
        if word.hasPrefix("-b ") {
            let name = word.dropFirst(4).components(separatedBy: "=")[0]
            return "-b " + inQuotes(name + "=REDACTED")
        }
        let option = word.hasPrefix("-") ? String(word.prefix(3)) : ""
        let text = word.dropFirst(option.count + 1).dropLast()
        let plain = text.replacingOccurrences(of: "\\\\\\\"", with: "\u{0}")
            .replacingOccurrences(of: "\\\"", with: "\"")
            .replacingOccurrences(of: "\u{0}", with: "\\\"")
        return option + inQuotes(option.isEmpty ? withoutUser(plain) : plain)
    }

    private static func inQuotes(_ text: String) -> String {
        "'" + text.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }

    private static func withoutUser(_ text: String) -> String {
        text.replacing(#/:\/\/[^\/@]+@/#) { _ in "://REDACTED@" }
    }
}
