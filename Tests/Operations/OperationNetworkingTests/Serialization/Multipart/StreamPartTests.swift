import TestSupport

@testable import OperationNetworking

/// MP-11.
@Suite("Parts from streams", .timeLimit(.minutes(5)))
struct StreamPartTests {
    private let frame = "--B\r\nContent-Disposition: form-data; name=\"s\"\r\n\r\n"

    private func memory(_ text: String) -> InputStream {
        InputStream(data: Data(text.utf8))
    }

    private func reason(_ stream: InputStream, length: Int64) throws -> MultipartError.Reason? {
        let body = try bodyStream([try streamPart(stream, length: length)])
        let read = readAll(body, sizes: [5])
        return read.sizes.last == -1 ? (body.streamError as? MultipartError)?.reason : nil
    }

    @Test func `Foundation's streams give their bytes`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("a.bin")
        let streams = [
            memory("content"), try #require(InputStream(url: file)),
            try #require(InputStream(fileAtPath: file.path)),
        ]
        for stream in streams {
            let body = try bodyStream([try streamPart(stream, length: 7)])
            #expect(readAll(body, sizes: [3]).text == frame + "content\r\n--B--\r\n")
            #expect(stream.streamStatus == .closed)
        }
    }

    @Test func `an empty stream gives an empty part`() throws {
        let body = try bodyStream([try streamPart(memory(""), length: 0), try dataPart("1")])
        let read = readAll(body)
        #expect(read.isComplete)
        #expect(read.text.hasPrefix(frame + "\r\n--B\r\n"))
    }

    @Test func `too few bytes fail the body and say both numbers`() throws {
        let body = try bodyStream([try streamPart(memory("streamed"), length: 100)])
        #expect(readAll(body).sizes.last == -1)
        let error = try #require(body.streamError as? MultipartError)
        #expect(error.reason == .streamLengthDiffers)
        #expect(error.failureReason.contains("8 of the 100"))
        #expect((error as NSError).code == -1021)
    }

    @Test func `too many bytes fail the body, and the part never looks complete`() throws {
        for declared in [Int64(0), 3, 7] {
            let body = try bodyStream([try streamPart(memory("streamed"), length: declared)])
            let read = readAll(body, sizes: [4])
            #expect(read.sizes.last == -1)
            #expect(Int64(read.bytes.count) < body.contentLength)
            #expect(!read.text.contains("--B--"))
            #expect((body.streamError as? MultipartError)?.reason == .streamLengthDiffers)
        }
    }

    @Test func `an error of the stream is the underlying error`() throws {
        let cause = NSError(domain: "Mine", code: 5)
        let stream = ScriptedStream([.bytes(Data("ab".utf8)), .failure(cause)])
        let body = try bodyStream([try streamPart(stream, length: 4)])
        #expect(readAll(body).sizes.last == -1)
        let error = try #require(body.streamError as? MultipartError)
        #expect(error.reason == .streamFailed)
        #expect(error.underlying as NSError? == cause)
    }

    @Test func `a stream that was closed before is too short`() throws {
        let stream = memory("abc")
        stream.open()
        stream.close()
        #expect(try reason(stream, length: 3) == .streamLengthDiffers)
    }

    @Test func `a stream that cannot be opened fails the body`() throws {
        let stream = try #require(InputStream(fileAtPath: "/nonexistent/file"))
        #expect(try reason(stream, length: 3) == .streamFailed)
    }

    @Test func `while the stream has none, the body has none, and what came before is given`()
        throws
    {
        let stream = ScriptedStream([
            .dry, .dry, .bytes(Data("ab".utf8)), .dry, .bytes(Data("c".utf8)),
        ])
        let body = try bodyStream([try streamPart(stream, length: 3)])
        body.open()
        var buffer = [UInt8](repeating: 0, count: 1_000)
        #expect(body.hasBytesAvailable)
        #expect(body.read(&buffer, maxLength: 1_000) == frame.utf8.count)
        #expect(!body.hasBytesAvailable)
        #expect(body.hasBytesAvailable)
        #expect(body.read(&buffer, maxLength: 1_000) == 2)
        #expect(body.hasBytesAvailable)
        #expect(body.read(&buffer, maxLength: 1_000) == 1 + "\r\n--B--\r\n".utf8.count)
        #expect(stream.waits == 0)
        body.close()
    }

    @Test func `a reader that does not ask waits for the stream instead of ending`() throws {
        let stream = ScriptedStream([.dry, .dry, .bytes(Data("abc".utf8))])
        let body = try bodyStream([try streamPart(stream, length: 3)])
        #expect(readAll(body, sizes: [frame.utf8.count]).text == frame + "abc\r\n--B--\r\n")
    }

    @Test func `a stream that stays open after its last byte ends the part`() throws {
        let stream = ScriptedStream([.bytes(Data("abc".utf8)), .dry, .bytes(Data("d".utf8))])
        let body = try bodyStream([try streamPart(stream, length: 3)])
        #expect(readAll(body).text == frame + "abc\r\n--B--\r\n")
    }

    @Test func `a stream is closed when its part is over`() throws {
        let stream = ScriptedStream([.bytes(Data("abc".utf8))])
        let body = try bodyStream([try streamPart(stream, length: 3), try dataPart("1")])
        _ = readAll(body)
        #expect(stream.closes == 1)
    }
}
