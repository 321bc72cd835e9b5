import TestSupport

@testable import OperationNetworking

/// MP-9, MP-10 and MP-16.
@Suite("Parts from files", .timeLimit(.minutes(5)))
struct FilePartTests {
    private let folder = TemporaryFolder()

    // MARK: Appending

    @Test func `a URL that is no file's is refused with the original's reason`() throws {
        let url = try #require(URL(string: "http://x/y.txt"))
        let error = #expect(throws: MultipartError.self) { try FilePart(url) }
        let seen = try #require(error) as NSError
        #expect(seen.domain == "com.alamofire.error.serialization.request")
        #expect(seen.code == -1000)
        #expect(seen.userInfo.keys.sorted() == [NSLocalizedFailureReasonErrorKey])
        #expect(seen.localizedFailureReason == "Expected URL to be a file URL")
    }

    @Test func `a missing file is refused with the original's reason`() throws {
        let missing = folder.url.appendingPathComponent("nope.txt")
        let error = #expect(throws: MultipartError.self) { try FilePart(missing) }
        let seen = try #require(error) as NSError
        #expect(seen.code == -1000)
        #expect(seen.localizedFailureReason == "File URL not reachable.")
        let cut = try #require(
            URL(string: try folder.write("a").absoluteString + "%00b"))
        #expect(throws: MultipartError.self) { try FilePart(cut) }
    }

    @Test func `a directory, a device and a pipe are no files`() throws {
        let pipe = folder.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        for url in [folder.url, URL(fileURLWithPath: "/dev/zero"), pipe] {
            let error = #expect(throws: MultipartError.self) { try FilePart(url) }
            #expect(error?.reason == .notRegularFile)
        }
    }

    #if os(Linux)
        @Test func `a file that says no size is none, and an empty one is`() throws {
            let status = URL(fileURLWithPath: "/proc/self/status")
            let error = #expect(throws: MultipartError.self) { try FilePart(status) }
            #expect(error?.reason == .notRegularFile)
            #expect(error?.localizedDescription.contains(status.path) == true)
            #expect(try FilePart(folder.write("empty", Data())).length == 0)
        }
    #endif

    @Test func `a link stands for its file`() throws {
        let link = folder.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(
            at: link, withDestinationURL: folder.write("a.txt"))
        #expect(try FilePart(link).length == 7)
        #expect(readAll(try bodyStream([try filePart(link)])).text.contains("content"))
    }

    // MARK: Changes between appending and sending

    /// The reason with which a part fails that is changed after it was appended.
    private func reason(
        _ change: (URL) throws -> Void
    ) throws -> MultipartError.Reason? {
        let file = try folder.write("a.bin", Data(repeating: 7, count: 300_000))
        let stream = try bodyStream([try dataPart("1"), try filePart(file)])
        try change(file)
        return failure(of: stream, readAll(stream))
    }

    private func failure(of stream: InputStream, _ body: ReadBody) -> MultipartError.Reason? {
        guard body.sizes.last == -1 else { return nil }
        return (stream.streamError as? MultipartError)?.reason
    }

    @Test func `a file that shrinks fails the body`() throws {
        #expect(try reason { try truncate($0, to: 299_999) } == .fileChanged)
        #expect(try reason { try truncate($0, to: 0) } == .fileChanged)
    }

    @Test func `a file that grows fails the body`() throws {
        #expect(try reason { try append(Data([1]), to: $0) } == .fileChanged)
    }

    @Test func `a file that is written anew fails the body, even with the same length`() throws {
        let reason = try reason {
            try Data(repeating: 8, count: 300_000).write(to: $0)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: $0.path)
        }
        #expect(reason == .fileChanged)
    }

    @Test func `a file that vanishes fails the body`() throws {
        #expect(try reason { try FileManager.default.removeItem(at: $0) } == .fileUnreadable)
    }

    @Test func `a directory or a pipe in the file's place fails the body`() throws {
        let directory = try reason {
            try FileManager.default.removeItem(at: $0)
            try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false)
        }
        #expect(directory == .fileChanged)
        try FileManager.default.removeItem(at: folder.url.appendingPathComponent("a.bin"))
        let pipe = try reason {
            try FileManager.default.removeItem(at: $0)
            _ = mkfifo($0.path, 0o600)
        }
        #expect(pipe == .fileChanged)
    }

    @Test(.enabled(if: geteuid() != 0, "The superuser may read every file."))
    func `a file that may no longer be read fails the body`() throws {
        #expect(try reason { _ = chmod($0.path, 0) } == .fileUnreadable)
    }

    // MARK: Changes while it is sent

    @Test func `a change in the middle fails the body`() throws {
        let changes: [(String, (URL) -> Void)] = [
            ("shrinks", { try? truncate($0, to: 100_000) }),
            ("grows", { try? append(Data([1]), to: $0) }),
            ("vanishes", { try? FileManager.default.removeItem(at: $0) }),
            (
                "is written to",
                { file in
                    guard let handle = try? FileHandle(forWritingTo: file) else { return }
                    handle.write(Data([1]))
                    try? handle.close()
                }
            ),
        ]
        for (what, change) in changes {
            let file = try folder.write("b.bin", Data(repeating: 7, count: 300_000))
            // So old that a change in the same tick of the file system's clock is seen.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file.path)
            let stream = try bodyStream([try filePart(file), try dataPart("1")])
            var reads = 0
            let body = readAll(stream, sizes: [65_536]) { _ in
                reads += 1
                if reads == 2 { change(file) }
            }
            #expect(failure(of: stream, body) == .fileChanged, "\(what)")
            #expect(stream.streamStatus == .closed)
            #expect(body.bytes.count < stream.contentLength, "\(what)")
        }
    }

    @Test func `after a failure every read fails and the status says so`() throws {
        let file = try folder.write("c.bin")
        let stream = try bodyStream([try filePart(file)])
        try FileManager.default.removeItem(at: file)
        stream.open()
        var buffer = [UInt8](repeating: 0, count: 1_000)
        for _ in 0..<3 {
            #expect(stream.read(&buffer, maxLength: 1_000) == -1)
            #expect(stream.streamStatus == .error)
            #expect(!stream.hasBytesAvailable)
        }
        let error = try #require(stream.streamError) as NSError
        #expect(error.code == -1021)
        #expect(error.localizedFailureReason?.contains(file.path) == true)
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.domain == NSPOSIXErrorDomain)
        #expect(cause?.code == Int(ENOENT))
    }

    // MARK: Descriptors

    @Test func `a file is open only while its part is read`() throws {
        let first = try folder.write("1.bin", Data(repeating: 1, count: 1_000))
        let second = try folder.write("2.bin", Data(repeating: 2, count: 1_000))
        let stream = try bodyStream([try filePart(first), try filePart(second)])
        #expect(openDescriptors(of: first) == 0)
        var most = 0
        _ = readAll(stream, sizes: [100]) { _ in
            most = max(most, openDescriptors(of: first) + openDescriptors(of: second))
        }
        #expect(most == 1)
        #expect(openDescriptors(of: first) + openDescriptors(of: second) == 0)
    }

    @Test func `closing and dropping a stream in the middle close its file`() throws {
        let file = try folder.write("1.bin", Data(repeating: 1, count: 1_000))
        var buffer = [UInt8](repeating: 0, count: 200)
        do {
            let stream = try bodyStream([try filePart(file)])
            stream.open()
            #expect(stream.read(&buffer, maxLength: 200) == 200)
            #expect(openDescriptors(of: file) == 1)
            stream.close()
            #expect(openDescriptors(of: file) == 0)
            let dropped = try bodyStream([try filePart(file)])
            dropped.open()
            #expect(dropped.read(&buffer, maxLength: 200) == 200)
        }
        #expect(openDescriptors(of: file) == 0)
    }

    /// A second `close` would fail, or close what another thread has opened meanwhile.
    @Test func `a file that changed before it is read is closed once`() throws {
        let file = try folder.write("1.bin", Data(repeating: 1, count: 1_000))
        let part = try FilePart(file)
        try truncate(file, to: 999)
        errno = 0
        let source = try? FileSource(part)
        let code = errno
        #expect(source == nil && code != EBADF)
        #expect(openDescriptors(of: file) == 0)
    }

    @Test func `four gigabytes have their length, and memory stays flat`() throws {
        let file = try folder.write("sparse.bin", Data())
        try truncate(file, to: (4 << 30) + 1)
        let stream = try bodyStream([try filePart(file)])
        let frame = Int64(
            "--B\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n\r\n--B--\r\n".utf8.count)
        #expect(stream.contentLength == (4 << 30) + 1 + frame)
        stream.open()
        defer { stream.close() }
        let before = residentKilobytes()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var sum: Int64 = 0
        // A sixteenth is enough to see memory grow.
        while sum < 256 << 20 {
            let count = stream.read(&buffer, maxLength: buffer.count)
            guard count > 0 else { break }
            sum += Int64(count)
        }
        #expect(sum >= 256 << 20)
        #expect(residentKilobytes() - before < 16 << 10)
    }

    private func residentKilobytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
    }
}

private func truncate(_ file: URL, to size: UInt64) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: size)
    try handle.close()
}

private func append(_ bytes: Data, to file: URL) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    handle.write(bytes)
    try handle.close()
}
