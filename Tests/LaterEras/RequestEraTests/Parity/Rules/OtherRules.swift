import Foundation
import ParitySupport

/// Why serialized bodies differ from their recordings, and how exactly.
enum SerializationRules {
    static let all: [ParityRule] = [
        ParityRule(
            .statement(30), "Text in EUC-JP is read.",
            .on(japanese) { $1.replacing("hello", with: "") }
        ) { recorded in
            let error = recorded.output["result"]?["failure"]
            guard error?["failedStringEncoding"] == 3,
                let data = try? recorded.input["data"]?.swiftData(),
                // ASCII is EUC-JP; other bytes are looked at in `TextEncoding`'s tests.
                let text = String(data: data, encoding: .ascii)
            else { return nil }
            return recorded.changed(["result": ["success": .string(text)]])
        },
        ParityRule(
            .statement(30), "Text is read as browsers read it, or not at all.",
            .on("string/charset/macintosh/latin1") { $1.replacing("\u{C8}", with: "\u{E9}") }
        ) { recorded in
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
        },
        ParityRule(
            .statement(30), "What is left of a character at the end is no text.",
            .on("string/charset/utf-16/ascii") { $1.replacing("UTF-16", with: "UTF-8") }
        ) { recorded in
            let name = recorded.output["textEncodingName"] ?? recorded.input["encoding"]
            guard let name = name?.string, let encoding = wide[name],
                let data = try? recorded.input["data"]?.swiftData(),
                !data.count.isMultiple(of: 2)
            else { return nil }
            return recorded.changed(["result": failure(encoding)])
        },
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
    static let all: [ParityRule] = [
        ParityRule(
            .statement(18),
            "Words are in double quotes, with a backslash before what a shell reads in them, "
                + "and hold no secret.",
            .on("curl/credential") { $1.replacing("REDACTED", with: "p") }
        ) { recorded in
            guard let text = recorded.output["debugDescription"]?.string,
                let description = recorded.output["description"]?.string,
                text.hasPrefix("$ curl -v")
            else { return nil }
            return [
                "debugDescription": .string(
                    words(text).map(quoted).joined(separator: " \\\n\t")),
                "description": .string(withoutUser(description)),
            ]
        }
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
