import OperationNetworking
import TestSupport

@testable import RequestEra

@Suite("Forms", .timeLimit(.minutes(1)))
struct MultipartFormDataTests {
    private let folder = TemporaryFolder()
    private let form = MultipartFormData()

    private func reason(_ body: () throws -> Void) throws -> AFError.MultipartEncodingFailureReason?
    {
        let error = try #require(throws: AFError.self, performing: body)
        if case .multipartEncodingFailed(let reason) = error { return reason }
        return nil
    }

    @Test
    func `a form of data and files is encoded again, whole; one with a stream is an error`() throws
    {
        form.append(Data("1".utf8), withName: "a")
        form.append(try folder.write("b.txt", Data("2".utf8)), withName: "b")
        let first = try form.encode()
        #expect(try form.encode() == first)
        form.append(InputStream(data: Data("3".utf8)), withLength: 1, headers: ["X": "y"])
        let all = try form.encode()
        #expect(String(decoding: all, as: UTF8.self).contains("3"))
        let again = try reason { _ = try form.encode() }
        guard case .inputStreamReadFailed(let cause) = again else {
            Issue.record("\(String(describing: again))")
            return
        }
        #expect((cause as? MultipartError)?.reason == .streamSpent)
        let file = folder.url.appendingPathComponent("form")
        #expect(throws: AFError.self) { try form.writeEncodedData(to: file) }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test
    func `a stream that fails without an error is an error, in memory and in a file`() throws {
        for isWritten in [false, true] {
            let form = MultipartFormData()
            form.append(FailingStream(), withLength: 9, headers: [:])
            let file = folder.url.appendingPathComponent("failing")
            let reason = try reason {
                if isWritten { try form.writeEncodedData(to: file) } else { _ = try form.encode() }
            }
            guard case .inputStreamReadFailed(let cause) = reason else {
                Issue.record("\(String(describing: reason))")
                return
            }
            #expect((cause as? MultipartError)?.reason == .streamFailed)
            #expect(!FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test
    func `a file that shrank, grew or went after it was appended is an error`() throws {
        let changes: [(URL) throws -> Void] = [
            { try Data("1".utf8).write(to: $0) }, { try Data("12345678".utf8).write(to: $0) },
            { try FileManager.default.removeItem(at: $0) },
        ]
        for (index, change) in changes.enumerated() {
            let form = MultipartFormData()
            let file = try folder.write("changing\(index).txt", Data("1234".utf8))
            form.append(file, withName: "f")
            try change(file)
            guard case .inputStreamReadFailed = try reason({ _ = try form.encode() }) else {
                Issue.record("Change \(index) was not seen.")
                continue
            }
        }
    }

    @Test
    func `a pipe is refused when it is appended, and does not block`() throws {
        let pipe = folder.url.appendingPathComponent("pipe.txt")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        form.append(pipe, withName: "p")
        guard case .bodyPartFileSizeNotAvailable(pipe) = try reason({ _ = try form.encode() })
        else {
            Issue.record("Another error.")
            return
        }
    }

    @Test
    func `the first bad part is told, and the good ones around it still count`() throws {
        form.append(Data("1".utf8), withName: "a")
        form.append(folder.url.appendingPathComponent("noextension"), withName: "b")
        form.append(try "https://example.com/a.txt".asURL(), withName: "c")
        form.append(Data("22".utf8), withName: "d")
        #expect(form.contentLength == 3)
        guard case .bodyPartFilenameInvalid = try reason({ _ = try form.encode() }) else {
            Issue.record("Another error.")
            return
        }
    }

    @Test
    func `lengths that nobody can add stay the largest, and do not stop the process`() {
        for _ in 0..<2 {
            form.append(InputStream(data: Data()), withLength: .max, headers: [:])
        }
        #expect(form.contentLength == .max)
    }

    @Test(arguments: ["", "a\r\nX-Injected: yes", "a\u{7F}"])
    func `a boundary with a control character, and an empty one, are refused`(_ boundary: String) {
        form.boundary = boundary
        form.append(Data("1".utf8), withName: "a")
        #expect(throws: MultipartError.self) { try form.encode() }
    }

    @Test
    func `a type with a line break, and a field's name that is no token, are refused`() {
        form.append(Data(), withName: "a", mimeType: "text/plain\r\nX-Injected: yes")
        #expect(throws: MultipartError.self) { try form.encode() }
        let other = MultipartFormData()
        other.append(InputStream(data: Data()), withLength: 0, headers: ["X Y": "z"])
        #expect(throws: MultipartError.self) { try other.encode() }
    }

    @Test
    func `a form's file is its owner's, and a folder that is not there is an error`() throws {
        form.append(Data("secret".utf8), withName: "a")
        let file = folder.url.appendingPathComponent("form")
        try form.writeEncodedData(to: file)
        let facts = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect((facts[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let nowhere = folder.url.appendingPathComponent("no/such/form")
        guard
            case .outputStreamCreationFailed(nowhere) = try reason({
                try form.writeEncodedData(to: nowhere)
            })
        else {
            Issue.record("Another error.")
            return
        }
    }

    @Test
    func `what was written of a form that cannot be written to its end is removed`() throws {
        let file = folder.url.appendingPathComponent("broken")
        #expect(throws: PlainError.self) {
            try FormFile.write(to: file) { sink in
                try FormPart.give(Data("begin".utf8), to: sink)
                throw PlainError(tag: "end")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test
    func `parts of data, files and streams stand one behind the other, in memory and in a file`()
        throws
    {
        for isWritten in [false, true] {
            let form = MultipartFormData()
            var expected = Data()
            func expect(_ body: Data, _ header: String) {
                let start = expected.isEmpty ? "" : "\r\n"
                expected += Data("\(start)--\(form.boundary)\r\n".utf8)
                expected +=
                    Data("Content-Disposition: form-data; \(header)\r\n\r\n".utf8) + body
            }
            form.append(Data("Lorem".utf8), withName: "lorem")
            expect(Data("Lorem".utf8), "name=\"lorem\"")
            for size in [5_000, 70_000] {
                let body = Data((0..<size).map { UInt8($0 % 251) })
                let file = try folder.write("f\(size).jpg", body)
                form.append(file, withName: "file")
                expect(
                    body,
                    "name=\"file\"; filename=\"f\(size).jpg\"\r\nContent-Type: image/jpeg")
                form.append(
                    try #require(InputStream(url: file)), withLength: UInt64(size), name: "stream",
                    fileName: "s.png", mimeType: "image/png")
                expect(
                    body, "name=\"stream\"; filename=\"s.png\"\r\nContent-Type: image/png")
            }
            expected += Data("\r\n--\(form.boundary)--\r\n".utf8)
            let file = folder.url.appendingPathComponent("form")
            if isWritten { try form.writeEncodedData(to: file) }
            let body = isWritten ? try Data(contentsOf: file) : try form.encode()
            let isEqual = body == expected
            #expect(isEqual)
        }
    }

    @Test
    func `a folder is refused as a part, and a file that is there as the place`() throws {
        let file = try folder.write("taken", Data("old".utf8))
        form.append(Data("new".utf8), withName: "data")
        guard
            case .outputStreamFileAlreadyExists(file) = try reason({
                try form.writeEncodedData(to: file)
            })
        else {
            Issue.record("Another error.")
            return
        }
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        form.append(folder.url, withName: "f", fileName: "f", mimeType: "application/octet")
        guard case .bodyPartFileIsDirectory(folder.url) = try reason({ _ = try form.encode() })
        else {
            Issue.record("Another error.")
            return
        }
    }

    /// Fails without an error, as some streams of Foundation on Linux do.
    private final class FailingStream: InputStream {
        private var status = Stream.Status.notOpen

        init() { super.init(data: Data()) }

        override var streamStatus: Stream.Status { status }
        override func open() { status = .open }
        override func close() { status = .closed }
        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int { -1 }
    }
}
