import TestSupport

@testable import RequestEra

@Suite("The text of curl", .timeLimit(.minutes(1)))
struct CurlCommandTests {
    private func command(
        _ url: String = "https://example.com/p", body: String? = nil, headers: HTTPHeaders = [:]
    ) throws -> CurlCommand {
        var request = try URLRequest(url: url, method: .post, headers: headers)
        request.httpBody = body.map { Data($0.utf8) }
        return CurlCommand(request: request)
    }

    /// The words that a shell makes of a command, without `curl -v`.
    private func words(_ text: String) throws -> [String] {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c", text.replacingOccurrences(of: "$ curl -v", with: "printf '%s\\n.\\n'"),
        ]
        let output = Pipe()
        shell.standardOutput = output
        try shell.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self).components(separatedBy: "\n.\n").dropLast()
            .map(\.self)
    }

    @Test(
        arguments: [
            "it's $HOME", "`id` $(id) \\ \"q\"", "a\nb", "'", "''", "\\'", "!x", "é中", "a;b|c>d",
        ])
    func `a shell gives curl the bytes that were sent`(_ text: String) throws {
        let command = try command(body: text, headers: ["X-A": text.replacing("\n", with: " ")])
        #expect(
            try words(command.text(showingSecrets: true)) == [
                "-X", "POST", "-H", "X-A: \(text.replacing("\n", with: " "))", "-d", text,
                "https://example.com/p",
            ])
    }

    @Test
    func `a body that begins with @ is no file's name`() throws {
        #expect(try words(command(body: "@/etc/passwd").text())[2] == "--data-raw")
    }

    @Test
    func `passwords, cookies, fields and values of secrets are masked unless asked for`() throws {
        var command = try command(
            "https://user:hunter1@example.com/p?access_token=hunter2&page=1",
            body: #"{"user":"u","password":"hunter3","list":[{"apiKey":"hunter4"}]}"#,
            headers: ["Authorization": "Bearer hunter5", "X-Api-Key": "hunter6", "X-A": "plain"])
        command.credentials = [
            URLCredential(user: "u", password: "hunter7", persistence: .forSession)
        ]
        let cookie = HTTPCookie(properties: [
            .domain: "example.com", .path: "/", .name: "sid", .value: "hunter8",
        ])
        command.cookies = [try #require(cookie)]
        command.additionalHeaders = ["Proxy-Authorization": "Basic hunter9"]
        let masked = command.text()
        #expect(!masked.contains("hunter"))
        for shown in ["u:REDACTED", "sid=REDACTED", "Bearer REDACTED", "X-A: plain", "page=1"] {
            #expect(masked.contains(shown), "\(shown)")
        }
        let whole = command.text(showingSecrets: true)
        #expect((1...9).allSatisfy { whole.contains("hunter\($0)") })
    }

    @Test
    func `a form's password is masked too`() throws {
        #expect(
            try words(command(body: "user=u&password=hunter").text())[3]
                == "user=u&password=REDACTED")
    }

    @Test
    func `a field of the configuration is one with the request's in another case`() throws {
        var command = try command(headers: ["X-S": "mine"])
        command.additionalHeaders = ["x-s": "theirs", "Cookie": "a=b"]
        #expect(try words(command.text()).filter { $0.contains(":") }.first == "X-S: mine")
        #expect(!command.text().contains("theirs") && !command.text().contains("a=b"))
    }
}
