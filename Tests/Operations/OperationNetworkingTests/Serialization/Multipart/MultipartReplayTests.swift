import TestSupport

@testable import OperationNetworking

@Suite("Sending a body again", .timeLimit(.minutes(5)))
struct MultipartReplayTests {
    @Test func `copies of data and files give the same bytes, before, during and after`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("a.bin", Data(repeating: 3, count: 1_000))
        let stream = try bodyStream([try dataPart("1"), try filePart(file)])
        let early = try stream.freshCopy()
        var during: InputStream?
        let body = readAll(stream, sizes: [500]) { count in
            if count == 500 { during = try? stream.freshCopy() }
        }
        let late = try stream.freshCopy()
        #expect(Int64(body.bytes.count) == stream.contentLength)
        for copy in [early, try #require(during), late, try late.asReplayable().freshCopy()] {
            #expect(copy.streamStatus == .notOpen)
            #expect(readAll(copy, sizes: [7]).bytes == body.bytes)
        }
    }

    @Test func `read again after its end a body is empty`() throws {
        let stream = try bodyStream([try dataPart("1")])
        #expect(readAll(stream).bytes.count > 0)
        #expect(readAll(stream).sizes == [0])
    }

    @Test func `a stream part is sent once, by whoever comes first`() throws {
        let stream = try bodyStream([
            try streamPart(InputStream(data: Data("abc".utf8)), length: 3)
        ])
        let copy = try stream.freshCopy()
        #expect(readAll(copy).isComplete)
        #expect(readAll(stream).sizes.last == -1)
        #expect((stream.streamError as? MultipartError)?.reason == .streamSpent)
    }

    @Test func `a body whose stream part is spent has no copy, and the error says why`() throws {
        let stream = try bodyStream([
            try dataPart("1"), try streamPart(InputStream(data: Data("abc".utf8)), length: 3),
        ])
        #expect(readAll(stream).isComplete)
        let error = #expect(throws: MultipartError.self) { try stream.freshCopy() }
        #expect(error?.reason == .streamSpent)
        #expect(error.map { ($0 as NSError).code } == -1021)
    }

    @Test func `a request keeps its stream, and a copy of the request has the same one`() throws {
        let request = try multipartRequest { $0.appendPart(formData: Data("1".utf8), name: "a") }
        let stream = try #require(request.httpBodyStream)
        #expect(stream is MultipartBodyStream)
        var other = request
        other.setValue("1", forHTTPHeaderField: "X")
        let bridged = request as NSURLRequest
        #expect(other.httpBodyStream === stream)
        #expect(bridged.httpBodyStream === stream)
        #expect((bridged as URLRequest).httpBodyStream === stream)
        #expect(request.httpBody == nil)
    }
}

extension InputStream {
    fileprivate func asReplayable() throws -> any ReplayableBody {
        try #require(self as? any ReplayableBody)
    }
}
