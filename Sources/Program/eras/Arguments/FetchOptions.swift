import Foundation
import HTTPSemantics

/// The options of `eras fetch`.
struct FetchOptions: ListingOptions {
    var urls: [String] = []
    var sources: [URLSource] = []
    var output = "."
    var usesServerNames = false
    var haveQueries = false
    var usesServerTimes = false
    var isRefresh = false
    var skipsExisting = false
    /// Those of the options for one file.
    var givenSums: [FileSum] = []
    var sum: FileSum? { givenSums.last }
    var sums: String?
    var failed: String?
    var shard = Shard.whole
    var jobs = 4
    var segments = 1
    /// Nil for the library's default.
    var minimumSegment: Int64?
    var retries = 2
    /// Nil for a random time that grows; 0 means the same, as with curl.
    var retryDelay: Double? { didSet { if retryDelay == 0 { retryDelay = nil } } }
    var isCompressed = false
    var maxTime: Double?
    /// Seconds between the starts of two files.
    var wait: Double?
    /// The least bytes a second, on the average of `speedTime` seconds.
    var leastSpeed: Int64?
    var speedTime = 30.0
    var isForced = false
    var isJSON = false
    var isQuiet = false
    var trace: String?
    var har: String?
    var html: String?
    var requests = RequestOptions()

    static let topic = HelpTopic.fetch
    static let help = """
        eras fetch - downloads files, several at once, and resumes partial ones

        Examples
          eras fetch https://example.com/a.iso https://example.com/b.iso
          eras fetch -o b.iso https://example.com/a.iso
          eras fetch -j 8 -o downloads --input urls.txt --sums SHA256SUMS
          eras fetch -N -o mirror/ --input urls.txt --failed again.txt
          eras fetch --netrc --limit-rate 2M https://example.com/a.csv
          eras fetch -o - https://example.com/a.tar | tar x
          eras fetch --segments 4 https://example.com/model.bin
          eras fetch --json --quiet https://example.com/a.iso | jq .sha256
          eras fetch -i urls.txt --shard 1/8

        URLs come from the arguments, from --input FILE, and from standard input when
        "-" is given or when there is no URL and standard input is not a terminal. Equal
        URLs are fetched once, but for "-o -".

        Files
          -o, --output PATH    where the files go: a directory, made when missing (.).
                               For one URL of the arguments it is the file's name,
                               unless it ends in "/" or is a directory. "-" is standard
                               output: one file is written there as it arrives; several,
                               or one that must have a sum, once each is whole, in the
                               order of the list
          -O, --remote-name    no effect, for those who know curl: files always have the
                               names of their URLs
          -J, --remote-header-name  files get the names that servers give them, or
                               NAME-2 where the name is in use; a file that was fetched
                               already under such a name is not fetched again; without
                               effect with "-o -" and on a file whose name is given
              --query-names    names have the query of the URL, with %2F for /
          -R, --remote-time    files get the times that servers give them
          -N, --timestamping   ask servers for newer versions of the files that were
                               fetched from the same URLs, and replace these; implies
                               -R. A file that was changed here is not replaced
              --skip-existing  request no file that is there, of whatever origin; one
                               with a sum is compared with that
          -i, --input FILE     a list of URLs: a file, an http address, or "-", standard
                               input
              --shard I/N      the I-th of N parts of the list, I from 1 to N
              --failed FILE    write the URLs that were not fetched to this list, for
                               another run; only its owner may read it
              --sha256 HEX     the SHA-256 that the one file must have
              --sha512 HEX     its SHA-512
              --md5 HEX        its MD5, which an attacker can forge
              --sums FILE      the sums of all files by name, of these three kinds, as
                               sha256sum, sha512sum and md5sum write them, also with
                               --tag, BSD's sha256 and openssl dgst
              --force          fetch again, and replace existing files and parts, but no
                               file that the command reads

        Limits
          -j, --jobs N         files at once, {range} (4); while one waits for a retry,
                               another is fetched
              --segments N     connections for one file, {range} (1); --split too. More
                               than one are used where the first is slow, and the server
                               sends ranges and a strong entity tag
              --min-split-size N  the least number of bytes for each of them (4M)
              --limit-rate N   bytes a second for all files together; k, M and G may
                               follow
              --wait SEC       seconds between the first requests of two files
              --retries N      retries of a file whose transfer failed (2); after an
                               answer 429 or 503 with Retry-After no file is requested
                               from that host until then
              --retry-delay SEC  seconds before each retry (0, a random time: 0.5 at
                               most, then twice as much, up to 8)
              --timeout SEC    seconds without a byte after which a try fails (60)
              --connect-timeout SEC  seconds for DNS, connecting and TLS
          -m, --max-time SEC   seconds that one file may take with all its tries
              --speed-limit N  bytes a second below which a try fails, on the average of
                               --speed-time
              --speed-time SEC  seconds for --speed-limit (30)

        Requests and connections
          -H, --header FIELD   a header field of each request, "Name: value";
                               repeatable; values of one name are joined by a comma
                               where HTTP allows a list, else the last is sent
          -A, --user-agent X   the field User-Agent (eras/VERSION); "" sends none
          -e, --referer URL    the field Referer
              --compressed     accept gzip and deflate, and decode them; without it a
                               file has the bytes that the server sends, coded or not
          -u, --user U:P       user and password for servers that ask, in place of those
                               in URLs; other users of the machine may see them, so
                               --netrc is safer
          -n, --netrc          users and passwords by host from ~/.netrc
              --netrc-file F   the same from another file
          -b, --cookie X       cookies as "a=1; b=2", for the hosts of the list, or a
                               file in the form of curl and wget; repeatable
          -c, --cookie-jar F   write the cookies to this file at the end; only its owner
                               may read it
          -x, --proxy URL      http, https, socks4, socks4a, socks5 or
                               socks5h://host:port
              --proxy-env      the proxies of http_proxy, https_proxy, all_proxy,
                               no_proxy; without one of the two there is no proxy
              --cacert FILE    the trusted authorities, in PEM, in place of the system's
          -E, --cert FILE      the client's certificate: PEM, or PKCS#12 as
                               FILE:password
              --key FILE       its key, if that is not in the same file

        Output
              --json           one JSON object a file on standard output, one a line;
                               see below
          -q, --quiet          no progress and no summary, only errors
              --trace FILE     a recording of the fetch, for Perfetto or
                               chrome://tracing
              --har FILE       the exchanges as HAR 1.2, without secrets
              --html FILE      the recording as a page with tracks and tables; one of
                               these three files may be "-", standard output, without
                               --json and "-o -"

        Lists
          A list has one URL a line; blank lines, lines that begin with # and what
          follows a blank and a # do not count. As in aria2's lists, indented lines
          below a URL may say where its file goes: out=NAME, and dir=FOLDER below the
          directory of -o.

        JSON
          The keys are url, path, bytes, sha256, queued_ms, wire_ms, thread,
          resumed_from, error, outcome, status, kind, final_url and ended; null where
          unknown; the URLs without passwords. outcome is fetched, kept (not requested),
          same (compared), skipped, failed or interrupted; kind is the kind of the
          error: failed, lookUp, connection, status, disk, timeout, hash, tls or
          interrupted. status and final_url are those of the last response, ended is
          when the file was finished.

        Names and parts
          A file is named after the last part of its URL's path; of two with one name
          the second becomes NAME-2. While it is downloaded it is NAME.part, with what a
          continuation needs in NAME.part.json. Run the same command again after an
          interruption: finished files are not fetched again, and of a part only the
          missing bytes are, if the server still has the same file, also after another
          redirect. Otherwise that file starts over.
          A NAME.part or NAME.part.json that no fetch made is left as it is, and the
          download fails; --force replaces it. A link with such a name is not followed.
          A file gets its name only when its length and its sum are right. A download in
          segments resumes in all of them, also with another number of segments.
          An extended attribute of each file has the URL that it was fetched from, or
          the file .eras-fetched beside it where the file system has none. A file
          without it, or with another URL, is compared with the server's, or with its
          sum: if the bytes are the same it is kept, and otherwise it is left as it is,
          and the download fails.

        Jobs that share a list
          --shard chooses by the hash of each URL alone: a URL is always the same job's,
          in any order of the list, and names are those of the whole list. All jobs may
          write into one directory.
            Slurm       sbatch --array=1-8, and in the script
                        --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"
            Kubernetes  --shard "$((JOB_COMPLETION_INDEX + 1))/8", in 8 completions
            parallel    parallel eras fetch -i urls.txt --shard {}/8 ::: 1 2 3 4 5 6 7 8

        Exit codes
            0  everything was fetched
            1  files failed for several reasons, or for one that is not below; parts
               that can be continued are kept
            2  the arguments are wrong
            6  a host was not found
            7  a server could not be reached, or the connection broke off
           22  a server answered with an error
           23  the disk: a file could not be read, written or made, or standard output
               could not be written, for example because its reader has ended; then
               nothing more is fetched
           28  it took too long
           32  a sum is wrong; the download was discarded, and an existing file left as
               it is
           35  TLS: no secure connection could be made, or a certificate is not trusted
          130  interrupted with Ctrl-C; parts are kept, but not with "-o -"; a second
               Ctrl-C ends at once. SIGTERM and SIGHUP do the same, with 143 and 129

        """
    static var table: KeyValuePairs<String, OptionValue<Self>> {
        [
            "--output": .set(\.output, .path),
            "--remote-name": .nothing,
            "--remote-header-name": .flag(\.usesServerNames),
            "--input": .add(\.sources, .list),
            "--shard": .set(\.shard, .shard),
            "--query-names": .flag(\.haveQueries),
            "--remote-time": .flag(\.usesServerTimes),
            "--timestamping": .flag(\.isRefresh),
            "--skip-existing": .flag(\.skipsExisting),
            "--failed": .set(\.failed, .file("a file for the addresses that failed")),
            "--sha256": .add(\.givenSums, .sum(.sha256)),
            "--sha512": .add(\.givenSums, .sum(.sha512)),
            "--md5": .add(\.givenSums, .sum(.md5)),
            "--sums": .set(\.sums, .text("a file of sums, as sha256sum writes it")),
            "--force": .flag(\.isForced),
            "--jobs": .set(\.jobs, .number(1...256)),
            "--segments --split": .set(\.segments, .number(1...16)),
            "--min-split-size": .set(\.minimumSegment, .size),
            "--limit-rate": .set(\.requests.rate, .size),
            "--retries --retry": .set(\.retries, .number(0...100)),
            "--retry-delay": .set(\.retryDelay, .secondsOrNone),
            "--timeout": .set(\.requests.timeout, .seconds),
            "--connect-timeout": .set(\.requests.connectTimeout, .seconds),
            "--max-time": .set(\.maxTime, .seconds),
            "--speed-limit": .set(\.leastSpeed, .size),
            "--speed-time": .set(\.speedTime, .seconds),
            "--wait": .set(\.wait, .seconds),
            "--header": .add(\.requests.fields, .field),
            "--user-agent": .add(\.requests.fields, .field("User-Agent", "a name")),
            "--referer": .add(\.requests.fields, .field("Referer", "an address")),
            "--compressed": .flag(\.isCompressed),
            "--user": .set(\.requests.user, .text("a user and a password, as me:secret")),
            "--netrc": .flag(\.requests.netrc, "~/.netrc"),
            "--netrc-file": .set(\.requests.netrc, .text("a file of users and passwords")),
            "--cookie": .add(\.requests.cookies, .text("cookies, as a=1, or a file")),
            "--cookie-jar": .set(\.requests.cookieJar, .text("a file for the cookies")),
            "--proxy": .set(\.requests.proxy, .text("a proxy, as http://host:8080")),
            "--proxy-env": .flag(\.requests.usesProxyEnvironment),
            "--cacert": .set(\.requests.authorities, .text("a file of certificates in PEM")),
            "--cert": .set(
                \.requests.certificate, .text("a certificate's file, PEM or PKCS#12")),
            "--key": .set(\.requests.key, .text("the file of the certificate's key")),
            "--json": .flag(\.isJSON),
            "--quiet": .flag(\.isQuiet),
            "--trace": .set(\.trace, .text("a file for the trace")),
            "--har": .set(\.har, .text("a file for the exchanges")),
            "--html": .set(\.html, .text("a file for the page")),
        ]
    }

    var isToOutput: Bool { output == NewFile.standardOutput }

    /// Whether `-o` names the one file, and no directory.
    var namesFile: Bool {
        guard urls.count == 1, sources.isEmpty, !isToOutput, !output.hasSuffix("/") else {
            return false
        }
        return (try? Directory(output).exists()) != true
    }

    /// The directory of the files.
    var directory: String {
        if isToOutput { return "." }
        guard namesFile else { return output }
        let folder = output[..<(output.lastIndex(of: "/") ?? output.startIndex)]
        return folder.isEmpty ? (output.hasPrefix("/") ? "/" : ".") : String(folder)
    }

    /// The name that `-o` gives the one file.
    var fileName: String? {
        namesFile ? output.split(separator: "/").last.map(String.init) : nil
    }

    func command(_ reader: ArgumentReader) throws(UsageError) -> Command {
        if isToOutput, isJSON {
            throw reader.usage("-o - and --json both write to standard output; choose one.")
        }
        if Set(givenSums.map(\.kind)).count > 1 {
            throw reader.usage(
                "--sha256, --sha512 and --md5 are each a sum of the one file; give one.")
        }
        if let sum, sums != nil {
            let name = "--" + sum.kind.rawValue.lowercased()
            throw reader.usage("\(name) is for one file and --sums for many; choose one.")
        }
        if isForced, isRefresh || skipsExisting {
            let other = isRefresh ? "--timestamping" : "--skip-existing"
            throw reader.usage("--force and \(other) contradict each other; choose one.")
        }
        if isRefresh, sum != nil || sums != nil {
            throw reader.usage("--timestamping and a sum contradict each other; choose one.")
        }
        if requests.key != nil, requests.certificate == nil {
            throw reader.usage("--key belongs to a certificate; name that with --cert.")
        }
        return .fetch(self)
    }

}

extension ValueKind<String> {
    fileprivate static var path: Self {
        let meaning = "a directory, or the name of the one file"
        return Self(meaning, refusal: { _ in meaning }) { $0.isEmpty ? nil : $0 }
    }
}

extension ValueKind<String> {
    /// Not standard output: URLs of a server's list may have control characters, which a terminal would obey.
    fileprivate static func file(_ meaning: String) -> Self {
        Self(meaning) { $0 == NewFile.standardOutput ? nil : $0 }
    }
}

extension ValueKind<FileSum> {
    fileprivate static func sum(_ kind: FileSum.Kind) -> Self {
        Self("\(2 * kind.length) hexadecimal digits") { text in
            FileSum(text).flatMap { $0.kind == kind ? $0 : nil }
        }
    }
}

extension ValueKind<Shard> {
    fileprivate static var shard: Self {
        Self("a number and how many there are, from 1/1 on") { Shard($0) }
    }
}
