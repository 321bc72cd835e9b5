import TestSupport

@testable import HTTPSemantics

@Suite("MIME types by extension", .timeLimit(.minutes(5)))
struct MIMETypesTests {
    @Test(arguments: [
        ("txt", "text/plain"), ("TXT", "text/plain"), ("png", "image/png"),
        ("json", "application/json"), ("jpg", "image/jpeg"), ("html", "text/html"),
        ("pdf", "application/pdf"), ("zip", "application/zip"),
        ("cer", "application/x-x509-ca-cert"), ("unknownext", "application/octet-stream"),
        ("", "application/octet-stream"), ("gif", "image/gif"), ("mp4", "video/mp4"),
    ])
    func `the common ones are known with and without a system`(name: String, type: String) {
        #expect(MIMETypes.system.type(ofExtension: name) == type)
        #expect(MIMETypes(globs: []).type(ofExtension: name) == type)
    }

    @Test func `of two types the one with the greater weight counts, else the first`() {
        let types = MIMETypes(globs: ["50:a/one:*.x\n80:a/two:*.x\n80:a/three:*.x"])
        #expect(types.type(ofExtension: "x") == "a/two")
    }

    @Test func `of two files the first counts, whatever the weights`() {
        let types = MIMETypes(globs: ["10:mine/x:*.x\n", "90:theirs/x:*.x\n50:theirs/y:*.y\n"])
        #expect(types.type(ofExtension: "x") == "mine/x")
        #expect(types.type(ofExtension: "y") == "theirs/y")
    }

    @Test func `case matters where the table says so`() {
        let types = MIMETypes(globs: ["50:text/x-c++:*.C:cs\n50:text/x-c:*.c\n"])
        #expect(types.type(ofExtension: "C") == "text/x-c++")
        #expect(types.type(ofExtension: "c") == "text/x-c")
    }

    @Test func `what is no extension is passed over`() {
        let lines = ["# 50:a/b:*.q", "x:a/b:*.q", "50:a/b", "50:a/b:q", "50:a/b:*.[q]", "", "::::"]
        let types = MIMETypes(globs: [lines.joined(separator: "\n")])
        #expect(types.type(ofExtension: "q") == MIMETypes.unknown)
    }

    @Test func `the tables are looked for where the specification says`() {
        #expect(
            MIMETypes.directories(of: ["HOME": "/h"])
                == ["/h/.local/share", "/usr/local/share", "/usr/share"])
        #expect(
            MIMETypes.directories(of: ["XDG_DATA_HOME": "/x", "XDG_DATA_DIRS": "/a:relative:/b"])
                == ["/x", "/a", "/b"])
        #expect(
            MIMETypes.directories(of: ["XDG_DATA_DIRS": ""]) == ["/usr/local/share", "/usr/share"])
    }
}
