import AFNetworking
@testable import OldAFNetworking
import TestSupport

@Suite("Old sources: uploads and the rest", .timeLimit(.minutes(5)))
struct OldUploadTests {

    @Test
    @MainActor
    func `upload progress ends at the whole length`() async throws {
        let world = TestWorld(programs: .standard)
        let file = try world.files.write("v.mp4", Data(repeating: 1, count: 100_000))
        let upload = VideoUpload()
        await done { upload.start(world.address("/upload"), file: file, completion: $0) }
        await MainActor.run {}
        let length = try #require(world.server.requests.first?.bodyLength)
        #expect(upload.sent == length)
        #expect(upload.total == length)
        // Up to 32 KiB each, as much as was ready.
        #expect(upload.pieces >= 100_000 / 32_768)
    }

    @Test
    func `a multipart body can be written to a file`() async throws {
        let world = TestWorld(programs: .standard)
        let file = try world.files.write("body", Data())
        var request: NSMutableURLRequest?
        let error: (any Error)? = await answer { finish in
            request = spool(world.address("/upload"), part: Data("hello".utf8), to: file) {
                finish($0)
            }
        }
        #expect(error == nil)
        let body = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(body.contains("name=\"kind\"\r\n\r\nlog\r\n"))
        #expect(body.contains("hello"))
        #expect(request?.httpBodyStream == nil)
        #expect(request?.value(forHTTPHeaderField: "Content-Length") == "\(body.utf8.count)")
    }

    @Test
    func `a pinned client keeps its policy`() {
        #expect(PinnedClient().isPinned)
    }

    @available(*, deprecated)
    @Test
    func `constants have the old values`() {
        #expect(
            AFNetworkingOperationDidStartNotification == "com.alamofire.networking.operation.start")
        #expect(
            AFNetworkingOperationDidFinishNotification
                == "com.alamofire.networking.operation.finish")
        #expect(
            AFNetworkingReachabilityDidChangeNotification
                == "com.alamofire.networking.reachability.change")
        #expect(
            AFNetworkingReachabilityNotificationStatusItem
                == "AFNetworkingReachabilityNotificationStatusItem")
        #expect(AFURLRequestSerializationErrorDomain == "com.alamofire.error.serialization.request")
        #expect(
            AFURLResponseSerializationErrorDomain == "com.alamofire.error.serialization.response")
        #expect(
            AFNetworkingOperationFailingURLRequestErrorKey
                == "com.alamofire.serialization.request.error.response")
        #expect(
            AFNetworkingOperationFailingURLResponseErrorKey
                == "com.alamofire.serialization.response.error.response")
        #expect(
            AFNetworkingOperationFailingURLResponseDataErrorKey
                == "com.alamofire.serialization.response.error.data")
        #expect(kAFUploadStream3GSuggestedPacketSize == 16_384)
        #expect(kAFUploadStream3GSuggestedDelay == 0.2)
        #expect(AFStringFromNetworkReachabilityStatus(.reachableViaWWAN) == "Reachable via WWAN")
    }

    @available(*, deprecated)
    @Test
    func `what cannot be built says why, and goes nowhere`() async {
        var error: NSError?
        let serializer = AFHTTPRequestSerializer()
        let request = serializer.request(
            withMethod: "GET", urlString: "", parameters: nil, error: &error)
        #expect(error != nil)
        #expect(request.url?.scheme != "http")
        let failed: Bool = await answer { finish in
            let operation = AFHTTPRequestOperation(request: request as URLRequest)
            operation.setCompletionBlockWithSuccess(
                { _, _ in finish(false) }, failure: { _, _ in finish(true) })
            operation.start()
        }
        #expect(failed)
    }
}
