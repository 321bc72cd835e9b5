import Testing

@testable import eras

@Suite("Arguments", .timeLimit(.minutes(2)))
struct CommandTests {
    private func fetch(_ arguments: String...) throws -> FetchOptions {
        guard case .fetch(let options) = try Command(["fetch"] + arguments) else {
            throw UsageError(sentence: "This is no fetch.")
        }
        return options
    }

    private func sentence(_ arguments: [String]) -> String? {
        do {
            _ = try Command(arguments)
            return nil
        } catch {
            return error.sentence
        }
    }

    @Test func `without options the documented defaults hold`() throws {
        let options = try fetch("http://h/a", "http://h/b")
        #expect(options.urls == ["http://h/a", "http://h/b"])
        #expect(options.jobs == 4)
        #expect(options.directory == ".")
        #expect(options.retries == 2)
        #expect(options.timeout == 60)
        #expect(!options.isForced && !options.isJSON && !options.isQuiet)
        #expect(options.sources == [])
    }

    @Test(arguments: [
        ["-j", "8"], ["-j8"], ["--jobs", "8"], ["--jobs=8"], ["-j", "2", "-j", "8"],
    ])
    func `a value may follow its option or be attached to it`(arguments: [String]) throws {
        guard case .fetch(let options) = try Command(["fetch"] + arguments + ["u"]) else {
            Issue.record("This is no fetch.")
            return
        }
        #expect(options.jobs == 8)
        #expect(options.urls == ["u"])
    }

    @Test func `every option of fetch is understood, in any place`() throws {
        let options = try fetch(
            "a", "-o", "out", "--retries=0", "--timeout", "1.5", "--force", "b", "--json", "-q",
            "--input", "list", "-", "-i", "-", "--trace", "t.json", "--har=h.har", "--html",
            "p.html")
        #expect(options.urls == ["a", "b"])
        #expect(options.directory == "out")
        #expect(options.retries == 0)
        #expect(options.timeout == 1.5)
        #expect(options.isForced && options.isJSON && options.isQuiet)
        #expect(options.sources == [.file("list"), .standardInput, .standardInput])
        #expect(options.trace == "t.json" && options.har == "h.har" && options.html == "p.html")
    }

    @Test func `after two dashes nothing is an option`() throws {
        #expect(try fetch("--", "-j", "--json").urls == ["-j", "--json"])
    }

    @Test(arguments: [
        (["fetch", "--nope"], "There is no option --nope."),
        (["fetch", "-x"], "There is no option -x."),
        (["fetch", "-j"], "-j needs a whole number from 1 to 256."),
        (["fetch", "-j", "0"], "-j needs a whole number from 1 to 256, not \"0\"."),
        (["fetch", "-j", "four"], "-j needs a whole number from 1 to 256, not \"four\"."),
        (["fetch", "-o", ""], "-o needs a directory."),
        (
            ["fetch", "-o", "-"],
            "-o names a directory, and fetch does not write files to standard output; "
                + "a directory of that name is ./-."
        ),
        (["fetch", "--input"], "--input needs a file with one URL a line."),
        (
            ["fetch", "--timeout=0"],
            "--timeout needs a number of seconds above 0 and up to 86400, not \"0\"."
        ),
        (
            ["fetch", "--timeout=nan"],
            "--timeout needs a number of seconds above 0 and up to 86400, not \"nan\"."
        ),
        (["fetch", "--json=1"], "--json takes no value, but \"1\" was given."),
        (
            ["serve", "--port", "65536"],
            "--port needs a whole number from 0 to 65535, not \"65536\"."
        ),
        (["serve", "here"], "serve takes no argument, but got \"here\"."),
        (["run", "-j"], "There is no option -j."),
        (["help", "me"], "There is no help about \"me\"."),
        (["get"], "There is no command \"get\"."),
        (["--verbose"], "There is no option --verbose."),
        ([], "A command is missing: fetch, serve, run or compare."),
    ])
    func `a mistake is told in one sentence`(arguments: [String], expected: String) {
        #expect(sentence(arguments) == expected)
    }

    @Test func `a mistake points to the help of its command`() {
        #expect(UsageError(sentence: "", topic: .fetch).hint == "Try: eras fetch --help")
        #expect(UsageError(sentence: "").hint == "Try: eras --help")
    }

    @Test(arguments: [
        (["--help"], HelpTopic.overview), (["-h"], .overview), (["help"], .overview),
        (["help", "fetch"], .fetch), (["fetch", "--help"], .fetch),
        (["fetch", "url", "-j", "3", "-h"], .fetch), (["serve", "--help"], .serve),
        (["run", "--help"], .run), (["compare", "batch", "--help"], .compare),
    ])
    func `help is found wherever it is looked for`(arguments: [String], topic: HelpTopic) throws {
        #expect(try Command(arguments) == .help(topic))
    }

    @Test func `the other commands are understood`() throws {
        #expect(try Command(["--version"]) == .version)
        #expect(try Command(["run"]) == .run)
        #expect(try Command(["serve"]) == .serve(ServeOptions(port: 0)))
        #expect(try Command(["serve", "--tls"]) == .serve(ServeOptions(isTLS: true)))
        #expect(try Command(["serve", "--port=8080"]) == .serve(ServeOptions(port: 8_080)))
    }

    @Test func `the help of fetch names every option and every exit code`() {
        let text = HelpText.text(for: .fetch)
        for option in [
            "-j, --jobs", "-o, --output", "-i, --input", "--retries", "--timeout", "--force",
            "--json", "-q, --quiet", "--trace", "--har", "--html",
        ] {
            #expect(text.contains(option))
        }
        for code in ["    0  ", "    1  ", "    2  ", "  130  "] {
            #expect(text.contains("\n" + code))
        }
    }

    @Test func `the overview speaks of the eras, and its exit codes of every command`() {
        let text = HelpText.text(for: .overview)
        #expect(text.hasPrefix("eras - eras of AFNetworking"))
        #expect(text.contains("\n    1  something failed: a file, a hash, a scenario,"))
    }

    @Test(arguments: HelpTopic.allCases)
    func `help fits into 90 columns and begins with examples`(topic: HelpTopic) throws {
        let lines = HelpText.text(for: topic).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.allSatisfy { $0.count <= 90 })
        #expect(lines[2].hasPrefix("Example"))
    }

    @Test func `a list has one URL a line, without comments, blanks and carriage returns`() {
        let text = "http://h/a\r\n\n  # later: http://h/x\n\thttp://h/b \nhttp://h/c"
        #expect(FetchOptions.urls(inList: text) == ["http://h/a", "http://h/b", "http://h/c"])
        #expect(FetchOptions.urls(inList: "") == [])
        #expect(FetchOptions.urls(inList: "a\rb\n") == ["a\rb"])
    }
}
