import OperationNetworking
import TestSupport

@testable import eras

@Suite("What the command says", .timeLimit(.minutes(2)))
struct MessageTests {
    @Test func `the reason for which a directory cannot be made is the system's`() async throws {
        let world = TestWorld()
        chmod(world.directory, 0o500)
        defer { chmod(world.directory, 0o700) }
        // Where root may do the one, no one may do the other.
        for path in ["\(world.directory)/new", "/sys/eras-tests", "/proc/eras-tests"] {
            guard mkdir(path, 0o700) != 0 else {
                rmdir(path)
                continue
            }
            let reason = String(cString: strerror(errno))
            let ending = try await Program.run([
                "fetch", "-o", path, "http://127.0.0.1:1/", "http://127.0.0.1:1/b",
            ])
            #expect(ending.code == 23)
            #expect(
                ending.errors.hasPrefix("eras: Could not make the directory \(path): \(reason)."),
                "\(ending.errors)")
        }
    }

    @Test func `a directory is made with those above it, and a file in the way is reported`() throws
    {
        let world = TestWorld()
        try Directory("\(world.directory)/a/b//c").make()
        try Directory("\(world.directory)/a/b/c/").make()
        #expect(world.names == ["a"])
        try Data().write(to: URL(fileURLWithPath: "\(world.directory)/file"))
        for path in ["\(world.directory)/file", "\(world.directory)/file/x"] {
            #expect(throws: DiskError.self) { try Directory(path).make() }
        }
    }

    @Test func `a failed file is named by its address`() async throws {
        let world = TestWorld()
        let url = world.address("/status/404")
        let ending = try await Program.run(["fetch", "-o", world.directory, url])
        #expect(ending.errors.hasPrefix("failed  \(url): The server answered 404"))
    }

    @Test func `a retry is reported, with the reason and the pause, unless quiet`() async throws {
        for isQuiet in [false, true] {
            let world = TestWorld()
            let url = world.address("/flaky?fail=1")
            let ending = try await Program.run(
                ["fetch", "-o", world.directory, url] + (isQuiet ? ["-q"] : []))
            #expect(ending.code == 0)
            let line = "again   flaky: The connection broke off; in "
            #expect(ending.errors.hasPrefix(line) != isQuiet, "\(ending.errors)")
            let pause = #/ in 0\.[0-5] s, 1 of 2\n/#
            #expect(ending.errors.contains(pause) != isQuiet)
        }
    }

    @Test func `no message names what only a program can set`() async throws {
        let world = TestWorld()
        let urls = ["/redirect-loop", "/big-head?size=110000", "/garbage", "/truncated"].map {
            world.address($0)
        }
        let ending = try await Program.run(
            ["fetch", "--retries", "0", "-o", world.directory, "http://127.0.0.1:99999/"] + urls)
        for word in ["limits.", "libcurl", "URL using", "NSURL", "URLError", "errno"] {
            #expect(!ending.errors.contains(word), "\(ending.errors)")
        }
        #expect(ending.errors.contains("5 failed"))
    }

    @Test func `a limit that has passed is reported with each option that sets one`() async throws {
        let world = TestWorld()
        let ending = try await Program.run([
            "fetch", "-m", "0.3", "-o", world.directory,
            world.address("/rate/1000000?bps=20000"),
        ])
        #expect(ending.code == 28)
        #expect(ending.errors.contains("--max-time set the limits"), "\(ending.errors)")
        let text = "No connection within the limit (configuration.connectTimeout)."
        let error = URLError(.timedOut, userInfo: [NSLocalizedDescriptionKey: text])
        #expect(
            ErrorSentence.text(for: error).hasSuffix("(No connection within the limit.)"))
    }

    @Test func `each command's errors have only the advice that it can follow`() {
        let codes: [URLError.Code] = [
            .cancelled, .timedOut, .networkConnectionLost, .serverCertificateUntrusted,
        ]
        let errors: [any Error] =
            codes.map { URLError($0) }
            + [DownloadError.status(401), ListError(address: "http://h/", status: 401)]
        func sentences(_ advice: Advice) -> String {
            errors.map { ErrorSentence.text(for: $0, advice: advice) }.joined(separator: " ")
        }
        #expect(sentences(.fetch).contains("again to continue"))
        let anew = sentences(.fetchAnew)
        #expect(!anew.contains("continue") && anew.contains("--max-time"))
        #expect(anew.contains("--cacert") && anew.contains("--netrc"))
        #expect(sentences(.gallery).matches(of: /\ --\w+/).map { String($0.0) } == [" --timeout"])
        #expect(!sentences(.none).contains(" --"))
    }

    @Test func `to standard output nothing can be continued, and no message says so`() async throws
    {
        let world = TestWorld()
        let ending = try await Program.run([
            "fetch", "--retries", "0", "-o", "-", world.address("/flaky?fail=1"),
        ])
        #expect(ending.code == 7)
        #expect(ending.errors.contains("The connection broke off"), "\(ending.errors)")
        #expect(!ending.errors.contains("to continue"), "\(ending.errors)")
    }

    @Test func `another directory is advised where one cannot be made, and not for a list`() {
        let list = DiskError(action: "open", path: "list", code: EACCES)
        #expect(list.description == "Could not open list: Permission denied.")
        let folder = DiskError(action: "make the directory", path: "d", code: EACCES)
        #expect(folder.description.hasSuffix("Choose another directory with -o."))
        #expect(DiskError(action: "write", path: "l", code: ENOSPC).description.contains("space"))
    }

    @Test func `a port that is in use is reported with what to do about it`() async throws {
        let world = TestWorld()
        let ending = try await Program.run(["serve", "--port", "\(world.server.port)"])
        #expect(ending.code == 1)
        #expect(
            ending.errors == "eras: Port \(world.server.port) is in use; stop what listens there, "
                + "or choose another with --port.\n")
    }

    /// What moves a terminal's cursor, names its window, or turns the order of letters.
    private static let harm = "a\u{1B}]0;x\u{7}b\u{9B}2Jc\r\nd\u{7F}e\u{202E}f\u{2028}g\tz"
    private static let harmless = "a?]0;x?b?2Jc d?e?f g z"

    /// Whether a text holds anything of that but line ends.
    private static func isHarmless(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy {
            $0 == "\n"
                || !($0.properties.generalCategory == .control || $0 == "\u{202E}"
                    || $0 == "\u{2028}")
        }
    }

    @Test func `no line has a control character, wherever its text comes from`() throws {
        let described = URLError(
            .cannotDecodeContentData, userInfo: [NSLocalizedDescriptionKey: Self.harm])
        #expect(ErrorSentence.text(for: described) == Self.harmless)
        #expect(ErrorSentence.text(for: UnusableURL(description: Self.harm)) == Self.harmless)
        // The library has made these harmless in its own way.
        #expect(Self.isHarmless(ErrorSentence.text(for: DownloadError.refused(Self.harm))))
        var result = FetchResult(index: 0, url: "http://h/\(Self.harm)", path: "d/\(Self.harm)")
        result.bytes = 1
        let file = FileProgress(index: 0, name: Self.harm, stored: 1, total: 2)
        var failed = result
        failed.error = Self.harm
        for line in [
            ProgressText.finished(result), ProgressText.finished(failed),
            ProgressText.retry(failed, Retry(pause: 1, number: 1, limit: 2)),
            ProgressText.line(file, rate: nil, columns: 80),
        ] {
            #expect(Self.isHarmless(line) && !line.contains("\n"), "\(line.debugDescription)")
        }
        #expect(Self.isHarmless(failed.jsonLine), "\(failed.jsonLine.debugDescription)")
        let object = try JSONSerialization.jsonObject(with: Data(failed.jsonLine.utf8))
        #expect((object as? [String: Any])?["url"] as? String == failed.url)
    }

    @Test func `what the program says of arguments and lists holds none either`() async throws {
        let world = TestWorld()
        let list = "\(world.directory)/list"
        try Data("http://h/\u{9B}2J\u{1B}[2J\n".utf8).write(to: URL(fileURLWithPath: list))
        let sums = "\(world.directory)/sums\u{1B}[2J"
        try Data("\u{1B}[2J".utf8).write(to: URL(fileURLWithPath: sums))
        let url = world.address("/ok")
        for arguments in [
            ["-i", list], ["--sums", sums, url], ["-i", "no\u{1B}[2J"], ["--no\u{1B}[2J", url],
            ["-o", "/sys/no\u{1B}[2J", url], ["-H", "a\u{9B}: b", url],
        ] {
            let ending = try await Program.run(
                ["fetch", "--retries", "0"] + arguments,
                in: URL(fileURLWithPath: world.directory))
            #expect(ending.code != 0 && !ending.errors.isEmpty)
            #expect(Self.isHarmless(ending.errors), "\(ending.errors.debugDescription)")
        }
        let strange = try await Program.run(["\u{1B}[2J"])
        #expect(strange.code == 2 && Self.isHarmless(strange.errors))
    }

    @Test func `a server's fields do not reach the terminal`() async throws {
        let world = TestWorld()
        world.server.add("/coding") { _ in
            .text("x", headers: [("Content-Encoding", "\u{1B}]0;x\u{7}")])
        }
        world.server.add("/field") { _ in .text("x", headers: [("X-Name", "\u{9B}2J\u{85}")]) }
        world.server.add("/moved") { _ in
            .text("x", status: 302, headers: [("Location", "gopher://h/\u{1B}[2J")])
        }
        let urls = ["/coding", "/moved"].map { world.address($0) }
        let ending = try await Program.run(
            ["fetch", "--retries", "0", "--compressed", "-o", world.directory] + urls)
        #expect(ending.errors.contains("2 failed"), "\(ending.errors)")
        #expect(Self.isHarmless(ending.errors), "\(ending.errors.debugDescription)")
        let shown = try await Program.run([
            "fetch", "-q", "-o", world.directory, "--har", "-",
            world.address("/field"),
        ])
        #expect(shown.code == 0 && shown.output.contains("X-Name"))
        #expect(Self.isHarmless(shown.output))
    }
}
