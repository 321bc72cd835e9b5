extension HelpText {
    /// The text of `eras fetch --help`.
    static let fetch = """
        eras fetch - downloads files, several at once, and resumes partial ones

        Examples
          eras fetch https://example.com/a.iso https://example.com/b.iso
          eras fetch -j 8 -o downloads --input urls.txt --sums SHA256SUMS
          eras fetch -H 'Accept: text/csv' --netrc --limit-rate 2M https://example.com/a.csv
          eras fetch -o - https://example.com/a.tar | tar x
          eras fetch --segments 4 https://example.com/model.bin
          eras fetch --json --quiet https://example.com/a.iso | jq .sha256
          eras fetch -i urls.txt --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"

        URLs come from the arguments, from --input FILE, and from standard input when "-" is
        given or when there is no URL and standard input is not a terminal. A list has one URL
        a line; blank lines, lines that begin with # and what follows a blank and a # do not
        count. Equal URLs are fetched once, but for "-o -".

        Files
          -o, --output DIR     where the files go; made when missing (.); "-" is standard output:
                               one file is written there as it arrives; several, or one that
                               must have a sum, once each is whole, in the order of the list
          -O, --remote-name    files have the names of their URLs, as they do without it
          -J, --remote-header-name  files get the names that servers give them, or NAME-2 where
                               the name is taken; a file that is there already under such a
                               name is not asked for again; without effect with "-o -"
          -i, --input FILE     a list of URLs: a file, an http address, or "-", standard input
              --shard I/N      the I-th of N parts of the list, I from 1 to N
              --sha256 HEX     the SHA-256 that the one file must have
              --sums FILE      the sums of all files by name, as sha256sum, BSD's sha256 and
                               openssl dgst write them
              --force          fetch anew and replace what is there already, files and parts

        How much and how long
          -j, --jobs N         files at once, {range} (4); while one waits for its next try,
                               another takes its place
              --segments N     connections for one file, {range} (1); --split too. More than
                               one are used where the first is slow, and the server sends
                               ranges and a strong entity tag
              --min-split-size N  the least number of bytes for each of them (4M)
              --limit-rate N   bytes a second of each file, of which each segment has its
                               share; k, M and G may follow
              --retries N      more tries for a file that failed on the way (2); a host that
                               answers 429 or 503 with Retry-After gets that rest from all files
              --retry-delay SEC  the pause before each (0, a random one: 0.5 at most, then
                               twice as much, up to 8)
              --timeout SEC    seconds without a byte after which a try fails (60)
              --connect-timeout SEC  seconds for look-up, connection and TLS
          -m, --max-time SEC   seconds that one file may take with all its tries

        Requests and connections
          -H, --header FIELD   a header field of each request, "Name: value"; repeatable; values
                               of one name are joined by a comma
          -A, --user-agent X   the field User-Agent (eras/VERSION); "" sends none
          -e, --referer URL    the field Referer
              --compressed     offer gzip and deflate, and decode what comes so; without it a
                               file has the bytes that the server sends, coded or not
          -u, --user U:P       user and password, for servers that ask, in place of those in
                               URLs; others on the machine may see them: better is
          -n, --netrc          users and passwords by host from ~/.netrc
              --netrc-file F   the same from another file
          -b, --cookie X       cookies as "a=1; b=2", for the hosts of the list, or a file in
                               the form of curl and wget; repeatable
          -c, --cookie-jar F   write the cookies to this file at the end
          -x, --proxy URL      http, https, socks4, socks4a, socks5 or socks5h://host:port
              --proxy-env      the proxies of http_proxy, https_proxy, all_proxy, no_proxy;
                               without one of the two there is no proxy
              --cacert FILE    the authorities that count, in PEM, in place of the system's
          -E, --cert FILE      the client's certificate: PEM, or PKCS#12 as FILE:password
              --key FILE       its key, if that is not in the same file

        Output
              --json           one JSON object a file on standard output, one a line, with the
                               keys url, path, bytes, sha256, queued_ms, wire_ms, thread,
                               resumed_from, error; null where unknown; the url without
                               its password
          -q, --quiet          no progress and no summary, only errors
              --trace FILE     what happened, for Perfetto or chrome://tracing
              --har FILE       the exchanges as HAR 1.2, without secrets
              --html FILE      what happened, as a page with lanes and tables; one of these
                               three files may be "-", standard output, without --json

        Names and parts
          A file is named after the last part of its URL's path; of two with one name the second
          becomes NAME-2. While it is downloaded it is NAME.part, with what is needed to go on in
          NAME.part.json. Run the same command again after an interruption: finished files are
          kept and not asked for again, and of a part only the missing bytes are, if the server
          still has the same file, also behind another redirect. Otherwise that file starts over.
          A NAME.part or NAME.part.json that no fetch made is left as it is, and the download
          fails; --force replaces it. Nothing is written through a link in its place.
          A file gets its name when its length and its sum are right, and not before. A download
          in segments resumes in all of them, also with another number of segments.
          A file that is there and was not fetched from that URL, as far as the file system can
          tell (an extended attribute says so), is compared with the server's, or with its sum:
          it is kept where the bytes are the same, and otherwise left as it is, and the download
          fails.

        Jobs that share a list
          --shard goes by the hash of each URL alone: whatever the order of the list, a URL is
          always the same job's, and names are those of the whole list. All jobs may write into
          one directory.
            Slurm       sbatch --array=1-8, and the last of the examples above
            Kubernetes  --shard "$((JOB_COMPLETION_INDEX + 1))/8", in a job of 8 completions
            parallel    parallel eras fetch -q -i urls.txt --shard {}/8 ::: 1 2 3 4 5 6 7 8

        Exit codes
            0  everything was fetched
            1  files failed for several reasons, or for one that is not below; what came of
               them is kept where it can be continued
            2  the arguments are wrong
            6  a host was not found
            7  a server could not be reached, or the connection broke off
           22  a server answered with an error
           23  the disk: a file could not be read, written or made, or standard output could
               not be written, as when its reader has ended; nothing more is fetched then
           28  it took too long
           32  a sum is wrong; what came was not kept, and what was there was left as it is
           35  TLS: no secure connection could be made, or a certificate is not trusted
          130  interrupted with Ctrl-C; parts are kept, but not with "-o -"; a second Ctrl-C
               ends at once. SIGTERM and SIGHUP do the same, with 143 and 129

        """
}
