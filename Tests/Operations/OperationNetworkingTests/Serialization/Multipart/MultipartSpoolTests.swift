import CurlConnection
import Dispatch
import TestSupport

@testable import OperationNetworking

/// MP-20.
@Suite("Writing a body to a file", .timeLimit(.minutes(5)))
struct MultipartSpoolTests {
    private let folder = TemporaryFolder()
    private var target: URL { folder.url.appendingPathComponent("body.bin") }

    /// The error that the handler was given; nil for success.
    private func spool(_ request: URLRequest, to file: URL) async -> NSError? {
        await withCheckedContinuation { continuation in
            let calls = Locked(0)
            _ = HTTPRequestSerializer().request(
                withMultipartFormRequest: request, writingStreamContentsToFile: file
            ) { error in
                dispatchPrecondition(condition: .onQueue(.main))
                calls.withLock { $0 += 1 }
                #expect(calls.withLock { $0 } == 1)
                continuation.resume(returning: error as NSError?)
            }
        }
    }

    private func request(_ text: String = "1") throws -> URLRequest {
        try multipartRequest { $0.appendPart(formData: Data(text.utf8), name: "a") }
    }

    @Test func `the file holds the body, and the request can still be sent`() async throws {
        let request = try request(String(repeating: "x", count: 200_000))
        #expect(await spool(request, to: target) == nil)
        let written = try Data(contentsOf: target)
        #expect(written == readAll(try #require(request.httpBodyStream)).bytes)
        #expect("\(written.count)" == request.value(forHTTPHeaderField: "Content-Length"))
        #expect(folder.names == ["body.bin"])
    }

    @Test func `the request comes back at once, without its stream, with its headers`() throws {
        let request = try request()
        let result = MultipartSpool.request(
            from: request, writingTo: target, completionHandler: nil)
        #expect(result.httpBodyStream == nil)
        #expect(result.httpBody == nil)
        #expect(result.allHTTPHeaderFields == request.allHTTPHeaderFields)
        #expect(result.httpMethod == "POST")
    }

    @Test func `a throttle does not slow it down`() async throws {
        let request = try multipartRequest {
            $0.appendPart(formData: Data("1".utf8), name: "a")
            $0.throttleBandwidth(packetSize: 1, delay: 3_600)
        }
        #expect(await spool(request, to: target) == nil)
        #expect(try Data(contentsOf: target).count > 100)
    }

    @Test func `a file that is there is replaced, a link stays a link`() async throws {
        try Data("old".utf8).write(to: target)
        let link = folder.url.appendingPathComponent("link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        let request = try request()
        #expect(await spool(request, to: link) == nil)
        #expect(try Data(contentsOf: target).count > 100)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == target.path)
        #expect(folder.names == ["body.bin", "link"])
    }

    @Test func `a part that fails leaves no file, and the old one as it was`() async throws {
        try Data("old".utf8).write(to: target)
        let source = try folder.write("source", Data(repeating: 1, count: 200_000))
        let request = try multipartRequest { try? $0.appendPart(fileURL: source, name: "f") }
        try Data(repeating: 1, count: 5).write(to: source)
        let error = await spool(request, to: target)
        #expect(error?.code == -1021)
        #expect(try Data(contentsOf: target) == Data("old".utf8))
        #expect(folder.names == ["body.bin", "source"])
    }

    @Test func `a folder that is missing, or in the file's place, is an error`() async throws {
        let request = try request()
        let missing = folder.url.appendingPathComponent("no/body.bin")
        for place in [missing, folder.url] {
            let error = await spool(request, to: place)
            #expect(error?.code == -3000)
            #expect(error?.domain == NetworkingError.requestSerializationDomain)
        }
        #expect(folder.names.isEmpty)
    }

    @Test(.enabled(if: access("/dev/full", W_OK) == 0))
    func `a full disk is an error, and a device is not replaced`() async throws {
        let full = URL(fileURLWithPath: "/dev/full")
        let error = await spool(try request(), to: full)
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.code == Int(ENOSPC))
        let type = try FileManager.default.attributesOfItem(atPath: full.path)[.type]
        #expect(type as? FileAttributeType == .typeCharacterSpecial)
    }

    @Test func `no file URL and no body stream are errors`() async throws {
        let request = try request()
        #expect(await spool(request, to: try #require(URL(string: "http://h/f")))?.code == -1000)
        var bare = request
        bare.httpBodyStream = nil
        #expect(await spool(bare, to: target)?.code == -1000)
        #expect(folder.names.isEmpty)
    }

    @Test func `a stream that can be read once is written once`() async throws {
        let request = try multipartRequest {
            $0.appendPart(
                inputStream: InputStream(data: Data("abc".utf8)), name: "s", fileName: "s",
                length: 3, mimeType: "a/b")
        }
        #expect(await spool(request, to: target) == nil)
        #expect(try Data(contentsOf: target).range(of: Data("abc".utf8)) != nil)
        let other = folder.url.appendingPathComponent("other.bin")
        let error = await spool(request, to: other)
        #expect(error?.code == -1021)
        #expect(error?.localizedFailureReason == StreamPart.spent.failureReason)
        #expect(folder.names == ["body.bin"])
    }

    @Test func `a stream of the caller's own is written too`() async throws {
        var request = try request()
        request.httpBodyStream = InputStream(data: Data("mine".utf8))
        #expect(await spool(request, to: target) == nil)
        #expect(try Data(contentsOf: target) == Data("mine".utf8))
    }
}
