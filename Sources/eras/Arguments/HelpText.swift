/// The texts of `eras --help` and `eras COMMAND --help`: examples, options, exit codes.
enum HelpText {
    static func text(for topic: HelpTopic) -> String {
        switch topic {
        case .overview: overview
        case .fetch: fetch
        case .serve: serve
        case .run: run
        case .compare: compare
        }
    }

    private static let overview = """
        eras - eras of AFNetworking and Alamofire: downloads with operations, all compared

        Examples
          eras fetch https://example.com/a.iso https://example.com/b.iso
          eras fetch -j 8 -o downloads --input urls.txt
          eras serve --port 8080
          eras run
          eras compare

        Commands
          fetch        download files, several at once; go on with parts of files
          serve        start the server for experiments on 127.0.0.1
          run          fetch a catalogue from an embedded server and check every hash
          compare      run the same scenarios in every era, and show what changed
          help NAME    explain a command; so does: eras NAME --help
          --version    print the version

        Exit codes
            0  all went well
            1  something failed: a file, a hash, a scenario, an output that cannot be written
            2  the arguments are wrong
          130  interrupted with Ctrl-C

        """

    private static let fetch = """
        eras fetch - downloads files, several at once, and goes on with parts of files

        Examples
          eras fetch https://example.com/a.iso https://example.com/b.iso
          eras fetch -j 8 -o downloads --input urls.txt
          grep -o 'https://[^"]*' page.html | eras fetch -o downloads
          eras fetch --json --quiet https://example.com/a.iso | jq .sha256

        URLs come from the arguments, from --input FILE, and from standard input when "-" is
        given or when there is no URL and standard input is not a terminal. A list has one URL
        a line; blank lines and lines that begin with # do not count.

        Options
          -j, --jobs N         files at once, 1 to 256 (4)
          -o, --output DIR     where the files go; made when missing (.)
          -i, --input FILE     a list of URLs; "-" is standard input
              --retries N      more tries for a file that failed on the way (2)
              --timeout SEC    seconds without a byte after which a try fails (60)
              --force          fetch anew and replace what is there already, files and parts
              --json           one JSON object a file on standard output, one a line, with the
                               keys url, path, bytes, sha256, queued_ms, wire_ms, thread,
                               resumed_from, error; null where unknown; the url without
                               its password
          -q, --quiet          no progress and no summary, only errors
              --trace FILE     what happened, for Perfetto or chrome://tracing
              --har FILE       the exchanges as HAR 1.2, without secrets
              --html FILE      what happened, as a page with lanes and tables; for these three
                               "-" is standard output, for one of them and without --json

        Files
          A file is named after the last part of its URL's path; of two with one name the second
          becomes NAME-2. While it is downloaded it is NAME.part, with what is needed to go on in
          NAME.part.json. Run the same command again after an interruption: finished files are
          kept and not asked for again, and of a part only the missing bytes are, if the server
          still has the same file. Otherwise that file starts over.
          A file that is there and was not fetched from that URL, as far as the file system can
          tell (an extended attribute says so), is compared with the server's: it is kept where
          the bytes are the same, and otherwise left as it is, and the download fails.

        Exit codes
            0  everything was fetched
            1  something failed; what came of it is kept where it can be continued
            2  the arguments are wrong
          130  interrupted with Ctrl-C; parts are kept, a second Ctrl-C ends at once

        """

    private static let serve = """
        eras serve - starts the server for experiments on 127.0.0.1

        Examples
          eras serve
          eras serve --port 8080
          eras serve --tls

        It prints its address and its paths, and serves until Ctrl-C: httpbin's paths,
        and others that are slow, cut off or wrong in a way of their own.

        Options
              --port N         the port, 0 to 65535; 0 lets the system choose (0)
              --tls            https alone, with a certificate that is made on the spot; where it
                               lies is printed, to be trusted or pinned

        Exit codes
          0  stopped with Ctrl-C
          1  it could not start, for example because the port is in use
          2  the arguments are wrong

        """

    private static let run = """
        eras run - fetches a catalogue from an embedded server and checks every hash

        Example
          eras run

        Twelve files of mixed size and speed, four at once, into a temporary folder that is
        removed at the end. Takes five to ten seconds and needs no network.

        Exit codes
            0  every hash is right and the limit was kept
            1  a file failed, a hash differs, or more requests ran at once than allowed
            2  the arguments are wrong
          130  interrupted with Ctrl-C

        """

    private static let compare = """
        eras compare - runs scenarios in every era, and shows what changed and whose doing it is

        Examples
          eras compare
          eras compare ten-json-gets cancel-one
          eras compare --html comparison.html
          eras compare --json - | jq '.[] | select(.verdict != "equal") | .difference'

        The columns
        \(columns)
        Each scenario runs five times in each column, in its own process, against a server on
        loopback. "equal": every outcome is the same as in the column with which it is compared,
        and so are the requests that the server saw. "different": they differ as is known and
        explained, because of the era's design, of Foundation on Linux or of a repair of this
        port. "failed": anything else. Takes a few minutes and needs no network.

        The numbers, also of page and document, are those of the run with the median wall time.
        Server and process have done one get before the clock starts. A column is "faster" than
        the other where four fifths of its runs took less time than every run of the other, and
        its median is a tenth less, at least 1 ms; else the other way round it is "slower", and
        anything else is "level". Fewer than three runs say nothing.

        Options
              --list           the scenarios, and what each asks
              --runs N         so many runs of each, 1 to 1000 (5)
              --json FILE      a list of objects, one a scenario and column, with the keys
                               scenario, column, era, compared_with, verdict, difference,
                               because_of, pace, requests, connections, threads, wall_ms,
                               wall_min_ms, wall_max_ms, cpu_ms, runs, callbacks, outcomes;
                               without compared_with and pace where there are none
              --html FILE      a page that shows all columns on one time axis, in one file
              --markdown FILE  the document with the eras' code; run it in the project's folder
              --check          write no document; fail if that one's lasting parts are out of date
          -q, --quiet          no progress

        FILE may be "-", which is standard output, once; the table is left out then.

        Exit codes
            0  no scenario failed
            1  a scenario failed, the document is out of date, or an output cannot be written
            2  the arguments are wrong
          130  interrupted with Ctrl-C; no output is written

        """

    /// A line for each column.
    private static var columns: String {
        Column.allCases.map { column in
            "  " + Padding.left(column.rawValue, 12) + column.contents
                + (column.reference.map { ", compared with \($0.rawValue)" } ?? "") + "\n"
        }.joined()
    }
}
