import TestSupport

@testable import HTTPSemantics

@Suite("Text of a peer in a text for people", .timeLimit(.minutes(1)))
struct PrintableTextTests {
    /// A terminal's title, a bell, the same begun by one character, and letters turned around.
    private let hostile = "\u{1B}]0;t\u{7}\u{9B}31m\u{7F}\u{202E}\u{85}\u{2028}\r\n\u{0}"

    private func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x0A, 0x09: true
            case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069:
                false
            default: true
            }
        }
    }

    @Test
    func `each control, and what turns letters around, is replaced, and nothing else`() {
        for value in UInt32(0)..<0x2100 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = "a\(scalar)b"
            let isControl =
                scalar.properties.generalCategory == .control
                || scalar.properties.isBidiControl
                || [0x2028, 0x2029].contains(value)
            #expect(text.printable == (isControl ? "a\u{FFFD}b" : text), "\(value)")
        }
        #expect("a\nb\tc\r\u{1B}".printableLines == "a\nb\tc\u{FFFD}\u{FFFD}")
        #expect("👨‍👩‍👧 é漢".printable == "👨‍👩‍👧 é漢")
    }

    @Test
    func `no text of the module has a control character of a peer`() throws {
        let url = try #require(URL(string: "http://h.test/"))
        let error = URLError(.badServerResponse, url: url, text: "It says \(hostile).")
        let beneath = URLError(
            .unknown,
            described: [
                NSLocalizedFailureReasonErrorKey: hostile, NSDebugDescriptionErrorKey: hostile,
                NSUnderlyingErrorKey: error,
            ])
        var texts = [error.localizedDescription, "\(error)", "\(error as NSError)"]
        texts += ["\(beneath)", (beneath as NSError).localizedFailureReason ?? ""]
        texts += [DescribedError.line("d", 1, hostile, url, beneath: error)]
        texts += ["\(CacheReason.varies(hostile))", "\(CacheReason.method(hostile))"]
        texts += [RequestField.objection(to: hostile, "") ?? ""]
        let storage = CookieStorage()
        storage.store(setCookieFields: ["a\u{9B}b=1"], from: url, at: CacheFixture.start)
        var dumped = ""
        dump(storage, to: &dumped)
        texts.append(dumped)
        do throws(CurlCommandError) {
            _ = try URLRequest(curlCommand: "curl '--x\(hostile)' http://h.test")
        } catch {
            texts += [error.localizedDescription, error.word]
        }
        for text in texts {
            #expect(isHarmless(text) && !text.isEmpty, "\(text.debugDescription)")
            let isOneLine = text == dumped || !text.contains("\n")
            #expect(isOneLine, "\(text.debugDescription)")
        }
    }

    @Test
    func `a command of curl's has no control character, and puts the same body on the wire`()
        throws
    {
        var request = URLRequest(url: try #require(URL(string: "http://h.test/")))
        request.httpMethod = "G\u{1B}T"
        request.allHTTPHeaderFields = ["X-A": "a\(hostile)b"]
        request.httpBody = Data("a\(hostile)b".utf8)
        for showsSecrets in [false, true] {
            let command = request.curlCommand(showingSecrets: showsSecrets)
            #expect(isHarmless(command), "\(command.debugDescription)")
        }
        request.httpMethod = "POST"
        request.allHTTPHeaderFields = ["X-A": "a\tb"]
        let command = request.curlCommand(showingSecrets: true)
        let read = try URLRequest(curlCommand: command)
        #expect(read.httpBody == request.httpBody)
        #expect(read.value(forHTTPHeaderField: "X-A") == "a\tb")
        #expect(ShellWords.quoted("a\nb") == "'a\nb'")
    }
}
