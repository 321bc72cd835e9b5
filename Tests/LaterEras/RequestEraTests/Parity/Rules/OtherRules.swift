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
            }),
        RequestRule(
            statement: 30, reason: "Text is read as browsers read it, or not at all.",
            example: .recorded("string/charset/macintosh/latin1"),
            wrong: { $0.replacing("\u{C8}", with: "\u{E9}") },
            allowed: { recorded in
                guard let data = try? recorded.input["data"]?.swiftData() else { return nil }
                switch recorded.output["textEncodingName"] {
                case "gb2312" where recorded.id == "string/charset/gb2312/utf8":
                    return recorded.changed([
                        "result": failure(String.Encoding(rawValue: 0x8000_0930))
                    ])
                case "macintosh":
                    let text = data.map { macintosh[$0] ?? String(Unicode.Scalar($0)) }.joined()
                    return recorded.changed(["result": ["success": .string(text)]])
                default: return nil
                }
            }),
        RequestRule(
            statement: 30, reason: "What is left of a character at the end is no text.",
            example: .recorded("string/charset/utf-16/ascii"),
            wrong: { $0.replacing("UTF-16", with: "UTF-8") },
            allowed: { recorded in
                let name = recorded.output["textEncodingName"] ?? recorded.input["encoding"]
                guard let name = name?.string, let encoding = wide[name],
                    let data = try? recorded.input["data"]?.swiftData(),
                    !data.count.isMultiple(of: 2)
                else { return nil }
                return recorded.changed(["result": failure(encoding)])
            }),
    ]

    private static func failure(_ encoding: String.Encoding) -> GoldenValue {
        [
            "failure": [
                "AFError": "responseSerializationFailed.stringSerializationFailed",
                "failedStringEncoding": .int(Int(encoding.rawValue)),
                "isResponseSerializationError": true,
                "localizedDescription": .string(
                    "String could not be serialized with encoding: \(encoding)."),
            ]
        ]
    }

    private static let wide: [String: String.Encoding] = [
        "utf-16": .utf16, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
        "utf16": .utf16, "utf16BigEndian": .utf16BigEndian,
        "utf16LittleEndian": .utf16LittleEndian,
    ]

    /// The recorded bytes above 7F in the old Macintosh's charset.
    private static let macintosh: [UInt8: String] = [
        0x83: "É", 0x98: "ò", 0x9F: "ü", 0xA9: "©", 0xAD: "≠", 0xB8: "∏", 0xC3: "√", 0xE4: "‰",
        0xE9: "È", 0xF0: "\u{F8FF}",
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
            reason:
                "Words are in double quotes, with a backslash before what a shell reads in them, "
                + "and hold no secret.",
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
        "\"" + text.replacing(#/[\\"$`]/#) { "\\" + $0.output }.replacing("!", with: "\"'!'\"")
            + "\""
    }

    private static func withoutUser(_ text: String) -> String {
        text.replacing(#/:\/\/[^\/@]+@/#) { _ in "://REDACTED@" }
    }
}
