import TestSupport

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
        #expect(options.requests == RequestOptions() && options.requests.timeout == 60)
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

    @Test func `every option of fetch is understood, before and after URLs`() throws {
        let options = try fetch(
            "a", "-o", "out", "--retries=0", "--timeout", "1.5", "--force", "b", "--json", "-q",
            "--input", "list", "-", "-i", "-", "--trace", "t.json", "--har=h.har", "--html",
            "p.html")
        #expect(options.urls == ["a", "b"])
        #expect(options.directory == "out")
        #expect(options.retries == 0)
        #expect(options.requests.timeout == 1.5)
        #expect(options.isForced && options.isJSON && options.isQuiet)
        #expect(options.sources == [.file("list"), .standardInput, .standardInput])
        #expect(options.trace == "t.json" && options.har == "h.har" && options.html == "p.html")
    }

    @Test func `options of curl's mean here what they mean there`() throws {
        let options = try fetch(
            "-H", "Accept: text/csv", "-HX-Empty:", "-A", "me", "-u", "a:b", "-n", "-b", "k=v",
            "-c", "jar", "-x", "h:1", "--cacert", "ca", "-E", "c", "--key", "k", "-O", "-J", "-m",
            "9", "--limit-rate", "2M", "--connect-timeout", "3", "--shard", "2/8", "-o", "-", "u")
        let requests = options.requests
        #expect(requests.fields.map(\.name) == ["Accept", "X-Empty", "User-Agent"])
        #expect(requests.fields.map(\.value) == ["text/csv", "", "me"])
        #expect(requests.user == "a:b" && requests.netrc == "~/.netrc" && requests.proxy == "h:1")
        #expect(requests.cookies == ["k=v"] && requests.cookieJar == "jar")
        #expect(requests.authorities == "ca" && requests.certificate == "c" && requests.key == "k")
        #expect(requests.rate == 2 << 20 && requests.connectTimeout == 3 && options.maxTime == 9)
        #expect(options.usesServerNames && options.isToOutput && options.shard == Shard("2/8"))
    }

    @Test func `letters after one dash are options each, and the last may have its value`() throws {
        let options = try fetch("-OJqj8", "-qoout", "u")
        #expect(options.usesServerNames && options.isQuiet && options.jobs == 8)
        #expect(options.output == "out" && options.urls == ["u"])
    }

    @Test func `a pause of none before retries is what it is without the option`() throws {
        #expect(try fetch("--retry-delay", "1.5", "u").retryDelay == 1.5)
        #expect(try fetch("--retry-delay=0", "u").retryDelay == nil)
        #expect(try fetch("--compressed", "u").isCompressed && !fetch("u").isCompressed)
        for value in ["-1", "x", "86401", "nan"] {
            #expect(
                sentence(["fetch", "--retry-delay", value, "u"])
                    == "--retry-delay needs a number of seconds from 0 to 86400, not \"\(value)\"."
            )
        }
    }

    @Test func `a list has one address a line, and what is none of them does not count`() throws {
        let list = """
            \u{FEFF}http://h/a\r
              http://h/b#part  # a note
            # http://h/c
            \t\u{20}
            http://h/d\t#http://h/e
            http://h/f # one # two
            """
        #expect(
            try urls(list)
                == ["http://h/a", "http://h/b#part", "http://h/d", "http://h/f"])
    }

    @Test func `a list may be a server's`() throws {
        #expect(
            try fetch("-i", "https://h/list", "--input=HTTP://h/l").sources
                == [.address("https://h/list"), .address("HTTP://h/l")])
    }

    @Test func `every option of gallery is understood`() throws {
        guard
            case .gallery(let options) = try Command([
                "gallery", "a", "-o", "dir/all", "-i", "list", "--jobs=8", "--columns", "3",
                "--size", "256", "--timeout=1.5", "--force", "-q", "-", "b",
            ]), case .gallery(let plain) = try Command(["gallery", "a"])
        else {
            Issue.record("This is no gallery.")
            return
        }
        #expect(options.urls == ["a", "b"] && options.sources == [.file("list"), .standardInput])
        #expect(options.directory == "dir/all")
        #expect(options.jobs == 8 && options.columns == 3 && options.side == 256)
        #expect(options.timeout == 1.5 && options.isForced && options.isQuiet)
        #expect(plain == GalleryOptions(urls: ["a"]))
        #expect(plain.directory == "gallery" && plain.columns == nil && plain.side == 192)
    }

    @Test(arguments: ["sheet.png", "dir/all.PNG", "page.html", "-", ""])
    func `a gallery is written to a folder, whose name is no file's`(path: String) {
        #expect(
            sentence(["gallery", "-o", path])
                == "-o needs a folder for the page and its thumbnails, not \"\(path)\".")
    }

    @Test func `after two dashes nothing is an option`() throws {
        #expect(try fetch("--", "-j", "--json").urls == ["-j", "--json"])
    }

    private static let sum = String(repeating: "a", count: 64)

    @Test(arguments: [
        (["fetch", "--nope"], "There is no option --nope."),
        (["fetch", "-Z"], "There is no option -Z."),
        (["fetch", "-j"], "-j needs a whole number from 1 to 256."),
        (["fetch", "-j", "0"], "-j needs a whole number from 1 to 256, not \"0\"."),
        (["fetch", "-j", "four"], "-j needs a whole number from 1 to 256, not \"four\"."),
        (["fetch", "-o", ""], "-o needs a directory, or the name of the one file."),
        (
            ["fetch", "-o", "-", "--json"],
            "-o - and --json both write to standard output; choose one."
        ),
        (
            ["fetch", "--shard", "0/8"],
            "--shard needs a number and how many there are, from 1/1 on, not \"0/8\"."
        ),
        (
            ["fetch", "--sha256", sum, "--md5", String(sum.prefix(32))],
            "--sha256, --sha512 and --md5 are each a sum of the one file; give one."
        ),
        (["fetch", "--sha256=ab"], "--sha256 needs 64 hexadecimal digits, not \"ab\"."),
        (
            ["fetch", "-H", "a b: c"],
            "-H needs a header field on one line, as \"Accept: text/plain\"."
        ),
        (
            ["fetch", "-H", "a: c\r\nd: e"],
            "-H needs a header field on one line, as \"Accept: text/plain\"."
        ),
        (
            ["fetch", "--limit-rate", "2T"],
            "--limit-rate needs a number of bytes, as 500k or 2M, not \"2T\"."
        ),
        (
            ["fetch", "--limit-rate", "9000000000G"],
            "--limit-rate needs at most 1048576G, not \"9000000000G\"."
        ),
        (
            ["fetch", "--min-split-size", "9223372036854775807"],
            "--min-split-size needs at most 1048576G, not \"9223372036854775807\"."
        ),
        (
            ["fetch", "-A", "a\nb"],
            "-A needs a name on one line, without control characters."
        ),
        (
            ["fetch", "--referer", "http://h/\r"],
            "--referer needs an address on one line, without control characters."
        ),
        (["fetch", "-OZ"], "There is no option -Z."),
        (["fetch", "--key", "k"], "--key belongs to a certificate; name that with --cert."),
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
        ([], "A command is missing: fetch, gallery, serve, run, compare, lesson, quiz or migrate."),
    ])
    func `a mistake is reported in one sentence`(arguments: [String], expected: String) {
        #expect(sentence(arguments) == expected)
    }

    @Test func `a mistake points to the help of its command`() {
        #expect(UsageError(sentence: "", topic: .fetch).hint == "Try: eras fetch --help")
        #expect(UsageError(sentence: "").hint == "Try: eras --help")
    }

    @Test(arguments: [
        (["--help"], HelpTopic.overview), (["-h"], .overview), (["help"], .overview),
        (["help", "fetch"], .fetch), (["fetch", "--help"], .fetch),
        (["fetch", "url", "-j", "3", "--help"], .fetch), (["serve", "--help"], .serve),
        (["run", "--help"], .run), (["gallery", "--help"], .gallery),
        (["help", "gallery"], .gallery),
        (["compare", "batch", "--help"], .compare),
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

    @Test func `the help of gallery names every option and how to try it without network`() {
        let text = HelpText.text(for: .gallery)
        for option in [
            "-o, --output", "-i, --input", "-j, --jobs", "--columns", "--size", "--timeout",
            "--force", "-q, --quiet", "eras serve --port 8080",
            "eras gallery --input http://127.0.0.1:8080\(ServedPictures.list)",
        ] {
            #expect(text.contains(option))
        }
    }

    @Test func `the help of fetch names every option and every exit code`() {
        let text = HelpText.text(for: .fetch)
        for option in [
            "-j, --jobs", "-o, --output", "-i, --input", "--retries", "--timeout", "--force",
            "--json", "-q, --quiet", "--trace", "--har", "--html", "-O, --remote-name",
            "-J, --remote-header-name", "--shard", "--sha256", "--sums", "--limit-rate",
            "--connect-timeout", "-m, --max-time", "-H, --header", "-A, --user-agent",
            "-e, --referer", "-u, --user", "-n, --netrc", "--netrc-file", "-b, --cookie",
            "-c, --cookie-jar", "-x, --proxy", "--proxy-env", "--cacert", "-E, --cert", "--key",
        ] {
            #expect(text.contains(option))
        }
        for code in ExitCode.allCases {
            let number = "\(code.rawValue)"
            #expect(text.contains("\n" + Padding.right(number, 5) + "  "))
        }
    }

    @Test func `the overview speaks of the eras, and its exit codes of every command`() {
        let text = HelpText.text(for: .overview)
        #expect(text.hasPrefix("eras - ") && text.contains("the eras of AFNetworking"))
        #expect(text.contains("\n    1  something failed: a file, a hash, a scenario,"))
    }

    @Test(arguments: HelpTopic.allCases)
    func `help fits into 80 columns, in both sizes, and begins with examples`(
        topic: HelpTopic
    ) throws {
        for text in [HelpText.text(for: topic), HelpText.brief(topic)] {
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { #expect(line.count <= 80, "\(line)") }
            #expect(lines[2].hasPrefix("Example"))
        }
    }

    @Test func `-h lists each option with the beginning of its explanation`() throws {
        #expect(try Command(["fetch", "url", "-j", "3", "-h"]) == .brief(.fetch))
        #expect(try Command(["fetch", "--help"]) == .help(.fetch))
        let text = HelpText.brief(.fetch)
        let brief = text.split(separator: "\n").compactMap { OptionSpelling($0)?.long }
        #expect(brief == HelpText.spellings(of: .fetch).map(\.long))
        #expect(text.contains("\n  -j, --jobs N         files at once, 1 to 256 (4)\n"))
        #expect(text.utf8.count < HelpText.text(for: .fetch).utf8.count / 2)
    }

    @Test func `a list has one URL a line, without comments, blanks and carriage returns`() throws {
        let text = "http://h/a\r\n\n  # later: http://h/x\n\thttp://h/b \nhttp://h/c"
        #expect(try urls(text) == ["http://h/a", "http://h/b", "http://h/c"])
        #expect(try urls("") == [])
        #expect(try urls("a\rb\n") == ["a\rb"])
    }

    private func urls(_ list: String) throws -> [String] {
        try ListedURL.all(inList: list).map(\.text)
    }

    @Test func `a list may name the file and the folder of a URL`() throws {
        let list = try ListedURL.all(
            inList: "http://h/a\n  out=b c.bin  # why\n\tdir=x/y\nhttp://h/d\n  http://h/e?x=1\n")
        #expect(
            list == [
                ListedURL(text: "http://h/a", folder: "x/y", name: "b c.bin"),
                ListedURL(text: "http://h/d"), ListedURL(text: "http://h/e?x=1"),
            ])
        #expect(try ListedURL.all(inList: list.map(\.lines).joined()) == list)
    }

    @Test(arguments: [
        "out=a/b", "out=..", "out=.", "out=", "out=a\u{7}b", "out=/etc/passwd", "dir=/etc",
        "dir=../x", "dir=a/../../x", "dir=a//b", "dir=", "split=5", "dir=a\u{202E}b",
    ])
    func `a list cannot lead out of the directory`(line: String) {
        #expect(throws: ListLineError.self) { try ListedURL.all(inList: "http://h/a\n  \(line)\n") }
    }
}
