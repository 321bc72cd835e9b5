import HTTPSemantics
import TestSupport

@testable import eras

@Suite("Files that other tools write", .timeLimit(.minutes(2)))
struct FileFormatTests {
    private static let (a, b) = (
        String(repeating: "a", count: 64), String(repeating: "B", count: 64)
    )

    @Test func `sums are read in the forms of GNU and BSD`() throws {
        let list = try HashList(
            "# sums\n\(Self.a)  one file.iso\r\n\(Self.b) *dir/two\n\nSHA256 (three (3)) = \(Self.a)\n"
        )
        #expect(
            list.sums.mapValues(\.digits) == [
                "one file.iso": Self.a, "two": Self.b.lowercased(), "three (3)": Self.a,
            ])
    }

    @Test func `sums are read in every form that their tools write and read`() throws {
        let lines = [
            "\u{FEFF}\(Self.a) reversed", "\(Self.a)\ttab", "\(Self.a) *binary", "  \(Self.a)  in",
            "\\\(Self.a)  back\\\\slash", "\\\(Self.b)  line\\nend", "\\\(Self.a) *car\\rret",
            "SHA256(openssl)= \(Self.a)", "SHA2-256(new)= \(Self.b)", "SHA256 (bsd) = \(Self.a)",
            "\\SHA256 (b\\\\d) = \(Self.a)", "# \(Self.a)  comment", "   ",
            "\(Self.a)   two blanks", "\(Self.a)  a ) = b", "\(Self.a)  *star",
            "SHA512/256 (other) = \(Self.a)", "RMD160 (other) = 00", "size  no \\ escape",
        ].dropLast()
        let list = try HashList(lines.joined(separator: "\r\n"))
        let b = Self.b.lowercased()
        #expect(
            list.sums.mapValues(\.digits) == [
                "reversed": Self.a, "tab": Self.a, "binary": Self.a, "in": Self.a,
                "back\\slash": Self.a, "line\nend": b, "car\rret": Self.a, "openssl": Self.a,
                "new": b, "bsd": Self.a, "b\\d": Self.a, " two blanks": Self.a, "a ) = b": Self.a,
                "*star": Self.a,
            ])
        #expect(
            try list.sum(of: "slash")?.digits == Self.a, "It is the name that such a file gets.")
        #expect(try list.sum(of: "line_end")?.digits == b)
    }

    @Test func `of sums of several kinds the strongest counts, whatever their order`() throws {
        let (md5, sha512) = (String(Self.a.prefix(32)), Self.a + Self.a)
        let list = try HashList(
            """
            MD5 (x) = \(md5)
            SHA512 (x) = \(sha512)
            SHA256 (x) = \(Self.a)
            \(md5)  y
            SHA2-512(z)= \(sha512)
            """)
        #expect(list.sums["x"]?.kind == .sha512 && list.sums["y"]?.kind == .md5)
        #expect(list.sums["z"]?.digits == sha512)
        #expect(throws: HashListError(line: 1)) { try HashList("MD5 (x) = \(Self.a)") }
    }

    @Test func `sums inside a signed text are read`() throws {
        let list = try HashList(
            """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA512

            \(Self.a)  x
            -----BEGIN PGP SIGNATURE-----

            iQIzBAEBCgAdFiEE
            =abcd
            -----END PGP SIGNATURE-----
            """)
        #expect(list.sums.mapValues(\.digits) == ["x": Self.a])
    }

    @Test(arguments: [
        "abc  x", "\(FileFormatTests.a)", "hello", "\(FileFormatTests.a)x", "\(FileFormatTests.a) ",
        "\\\(FileFormatTests.a)  a\\b", "\\\(FileFormatTests.a)  a\\", "SHA256 (x) = 12",
    ])
    func `a line that is no sum is reported, not skipped`(line: String) {
        #expect(throws: HashListError(line: 2)) { try HashList("\n\(line)\n") }
    }

    @Test func `two sums of one name are an error if that name is needed`() throws {
        let list = try HashList("\(Self.a)  p/x\n\(Self.b)  q/x\n\(Self.a)  y\n\(Self.a)  z/y\n")
        #expect(throws: HashListError(line: 2)) { try list.sum(of: "x") }
        #expect(try list.sum(of: "y")?.digits == Self.a)
        #expect(try list.sum(of: "z") == nil)
    }

    @Test func `a contradiction of weaker sums does not count where a stronger one is`() throws {
        let weak = "\(Self.a.prefix(32))  p/x\n\(Self.b.prefix(32))  q/x\n"
        #expect(throws: HashListError(line: 2)) { try HashList(weak).sum(of: "x") }
        let strong = Self.a + Self.a
        for text in [weak + "\(strong)  x\n", "\(strong)  x\n" + weak] {
            #expect(try HashList(text).sum(of: "x")?.digits == strong)
        }
    }

    @Test func `a sum with a path is that of the file there, whatever has the same name`() throws {
        let list = try HashList("\(Self.a)  ./p/x\n\(Self.b)  q/x\n\(Self.a)  y\n")
        #expect(try list.sum(of: "x", in: "p")?.digits == Self.a)
        #expect(try list.sum(of: "x", in: "q")?.digits == Self.b.lowercased())
        #expect(throws: HashListError(line: 2)) { try list.sum(of: "x", in: "r") }
        #expect(try list.sum(of: "y", in: "p")?.digits == Self.a, "It is found by its name.")
        let both = try HashList("\(Self.a)  p/x\n\(Self.b)  p/x\n")
        #expect(throws: HashListError(line: 2)) { try both.sum(of: "x", in: "p") }
    }

    @Test func `users come by host, else from the default`() throws {
        let netrc = try Netrc(
            """
            # a comment
            machine h.test login me password "two words"
            macdef init
            machine evil login x password y

            machine other
              login you
              account none
              password secret
            default login anybody password p
            """)
        #expect(netrc.login(for: "H.test") == Netrc.Login(user: "me", password: "two words"))
        #expect(netrc.login(for: "other") == Netrc.Login(user: "you", password: "secret"))
        #expect(netrc.login(for: "evil") == Netrc.Login(user: "anybody", password: "p"))
        #expect(try Netrc("machine h login x").login(for: "x") == nil)
    }

    @Test func `a password may begin with a number sign, and no entry gets the next one's`() throws
    {
        let netrc = try Netrc(
            """
            machine one login me password #secret # a comment
            machine two login #you
                # a comment
              password
              #another comment
              next-line
            machine three login password password "machine"
            """)
        #expect(netrc.login(for: "one") == Netrc.Login(user: "me", password: "#secret"))
        #expect(netrc.login(for: "two") == Netrc.Login(user: "#you", password: "next-line"))
        #expect(netrc.login(for: "three") == Netrc.Login(user: "password", password: "machine"))
    }

    @Test(arguments: [
        "machine one login me password", "machine one login me password\nmachine two password x",
        "machine one login me password machine two password x",
        "machine one login me password \"open machine two password x",
        "machine one password\nlogin me", "machine\nlogin me", "default password\n# x\ndefault",
        "machine one account\nmacdef x", "machine one password\nLOGIN me",
        "MACHINE one login me password Machine two password x",
        "machine one login me password default login you password x",
        "machine one password default login you password x",
        "machine one login default account a login you password x",
    ])
    func `a value that is missing in a netrc file is an error, and no word of another entry`(
        text: String
    ) {
        #expect(throws: NetrcError(line: 2)) { try Netrc("\n" + text) }
    }

    @Test func `on its keyword's line a value may be any keyword but machine`() throws {
        let netrc = try Netrc(
            """
            machine other login default password x
            machine one account macdef login macdef password default
            machine two login account password login
            default login anybody password p
            """)
        #expect(netrc.login(for: "other") == Netrc.Login(user: "default", password: "x"))
        #expect(netrc.login(for: "one") == Netrc.Login(user: "macdef", password: "default"))
        #expect(netrc.login(for: "two") == Netrc.Login(user: "account", password: "login"))
        #expect(netrc.login(for: "three") == Netrc.Login(user: "anybody", password: "p"))
    }

    @Test func `capitals and backslashes count in a netrc file as in curl`() throws {
        let netrc = try Netrc(
            #"""
            MACHINE one Login Me PASSWORD "a\tb\nc\rd\\e\"f\x"
            MacDef init
            machine evil login x password y

            Default login anybody password a\tb
            """#)
        let password = "a\tb\nc\rd\\e\"fx"
        #expect(netrc.login(for: "one") == Netrc.Login(user: "Me", password: password))
        #expect(netrc.login(for: "evil") == Netrc.Login(user: "anybody", password: #"a\tb"#))
    }

    @Test func `a host's users have a password each, and the first is the host's`() throws {
        let netrc = try Netrc(
            """
            machine h.test login one password 1
            machine other login two password x
            machine H.test login two password 2
            default login three password 3
            """)
        #expect(netrc.login(for: "h.test")?.user == "one")
        #expect(netrc.login(for: "h.test", user: "two")?.password == "2")
        #expect(netrc.login(for: "h.test", user: "one")?.password == "1")
        #expect(netrc.login(for: "h.test", user: "three")?.password == "3")
        #expect(netrc.login(for: "h.test", user: "four") == nil)
    }

    @Test func `cookies survive the file that curl writes`() throws {
        let text = """
            # Netscape HTTP Cookie File
            #HttpOnly_.h.test\tTRUE\t/\tTRUE\t4000000000\tid\ta=b
            h.test\tFALSE\t/p\tFALSE\t0\tshort\tv

            """
        let cookies = CookieText.cookies(text + "not a cookie\n")
        #expect(cookies.map(\.name) == ["id", "short"])
        #expect(cookies[0].isSecure && cookies[0].isHTTPOnly && cookies[0].domain == ".h.test")
        #expect(cookies[1].expiresDate == nil && cookies[1].path == "/p")
        #expect(CookieText.text(cookies) == text)
    }

    @Test func `pairs of the command line are distinguished from a file's name`() {
        #expect(CookieText.pairs("a=1; b=2=3")?.map(\.value) == ["1", "2=3"])
        #expect(CookieText.pairs("jar.txt") == nil && CookieText.pairs("=x") == nil)
    }

    @Test func `each address is one shard's, in whatever order the list is`() {
        let list = (0..<500).map { "https://h/\($0)" }
        for count in [1, 2, 7] {
            let shards = (1...count).compactMap { Shard("\($0)/\(count)") }
            #expect(shards.count == count)
            for address in list {
                #expect(shards.count { $0.contains(address) } == 1)
            }
            #expect(shards.allSatisfy { shard in list.count(where: shard.contains) > 350 / count })
        }
        #expect(
            ["", "1", "0/2", "3/2", "a/b", "1/2/3", "1/0", "-1/2"].allSatisfy { Shard($0) == nil })
    }

    @Test func `the split of an address never changes`() throws {
        let second = try #require(Shard("2/8"))
        let mine = (0..<20).filter { second.contains("https://example.com/\($0)") }
        #expect(mine == [2, 3, 7])
    }

    @Test func `names of a shard are those of the whole list`() throws {
        let list = (0..<20).map { "https://h\($0)/a" }
        let whole = DownloadItem.list(list, directory: "d").map(\.target?.place.path)
        let parts = try (1...3).flatMap { number in
            DownloadItem.list(list, directory: "d", shard: try #require(Shard("\(number)/3")))
        }
        #expect(Set(parts.map(\.target?.place.path)) == Set(whole))
        #expect(
            parts.allSatisfy { $0.target?.place.path == whole[list.firstIndex(of: $0.text) ?? 0] })
    }
}
