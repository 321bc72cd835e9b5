import CurlConnection
import TestSupport

@Suite("Which streams may wait")
struct StreamFileTests {
    private let folder = TemporaryFolder()

    private func pipe(_ name: String) throws -> URL {
        let url = folder.url.appendingPathComponent(name)
        try #require(mkfifo(url.path, 0o600) == 0)
        return url
    }

    @Test(arguments: ["file", "a b, encoding = c {string = d} ü%20.txt"])
    func `regular files, and those that are still to be made, do not`(name: String) throws {
        let file = try folder.write(name)
        let new = folder.url.appendingPathComponent("new " + name)
        for url in [file, new, folder.url] {
            #expect(OutputStream(url: url, append: true)?.mayWait == false)
            #expect(InputStream(url: url)?.mayWait == false)
        }
        #expect(InputStream(fileAtPath: file.path)?.mayWait == false)
    }

    @Test(arguments: ["pipe", "a b, encoding = c {string = d} ü%20"])
    func `pipes and devices do, also behind a link and once they are open`(name: String) throws {
        let pipe = try pipe(name)
        let link = folder.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: pipe)
        for path in [pipe.path, link.path, "/dev/null"] {
            #expect(OutputStream(toFileAtPath: path, append: true)?.mayWait == true, "\(path)")
            #expect(InputStream(fileAtPath: path)?.mayWait == true, "\(path)")
        }
        let open = try #require(InputStream(fileAtPath: "/dev/null") as InputStream?)
        open.open()
        #expect(open.mayWait)
        open.close()
    }

    @Test func `memory does not, nor a class that says itself when it is ready`() {
        var room = [UInt8](repeating: 0, count: 4)
        room.withUnsafeMutableBufferPointer { room in
            guard let start = room.baseAddress else { return }
            #expect(!OutputStream(toBuffer: start, capacity: 4).mayWait)
        }
        #expect(!OutputStream.toMemory().mayWait)
        #expect(!InputStream(data: Data()).mayWait)
        #expect(!InputStream(data: Data("{<CFURL 1>{string = /dev/null".utf8)).mayWait)
        #expect(!InputDouble(.init()).mayWait)
        #expect(!OutputDouble(.init()).mayWait)
    }
}
