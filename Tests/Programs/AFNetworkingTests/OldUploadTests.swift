import TestSupport
import AFNetworking
import LoopbackServer
import Testing

@Suite("Old sources: uploads and the rest", .timeLimit(.minutes(5)))
struct OldUploadTests {
    @Test
    func `a photo goes out with its fields, the parameters first`() async throws {
        let room = try Room()
        room.server.add("/photos") { _ in .json("{}") }
        let thumbnail = try room.file("small.png", Data("PNG".utf8))
        let uploader = PhotoUploader(baseURL: room.baseURL)
        let error: Error? = await answer { finish in
            uploader.upload(photo: Data("JPEG".utf8), thumbnail: thumbnail, title: "Sea") {
                finish($0)
            }
        }
        #expect(error == nil)
        let request = try #require(room.server.requests.first)
        let type = try #require(request.headers["Content-Type"])
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        let boundary = type.components(separatedBy: "boundary=")[1]
        let body = String(decoding: request.body, as: UTF8.self)
        let parts = body.components(separatedBy: "--" + boundary)
        #expect(parts.count == 6)
        #expect(parts[1].contains("name=\"title\"\r\n\r\nSea\r\n"))
        #expect(
            parts[2].contains(
                "name=\"photo\"; filename=\"photo.jpg\"\r\nContent-Type: image/jpeg\r\n\r\nJPEG"))
        #expect(
            parts[3].contains(
                "name=\"thumbnail\"; filename=\"small.png\"\r\nContent-Type: image/png"))
        #expect(parts[4].contains("name=\"visibility\"\r\n\r\npublic\r\n"))
        #expect(request.headers["Content-Length"] == "\(request.bodyLength)")
    }

    @Test
    @MainActor
    func `upload progress ends at the whole length`() async throws {
        let room = try Room()
        let file = try room.file("v.mp4", Data(repeating: 1, count: 100_000))
        let upload = VideoUpload()
        await done { upload.start(room.url("/upload"), file: file, completion: $0) }
        await MainActor.run {}
        let length = try #require(room.server.requests.first?.bodyLength)
        #expect(upload.sent == length)
        #expect(upload.total == length)
        #expect(upload.pieces >= 100_000 / 16_384)
    }

    @Test
    @MainActor
    func `an upload's meter climbs to one`() async throws {
        let room = try Room()
        room.server.add("/upload") { _ in .json("{}") }
        let file = try room.file("v.mp4", Data(repeating: 1, count: 300_000))
        var shares: [Float] = []
        let uploader = UploadMeter()
        // Held, so that nothing is sent before the block is set.
        uploader.manager.operationQueue.isSuspended = true
        let error: Error? = await answer { finish in
            uploader.send(file, to: room.url("/upload"), meter: { shares.append($0) }) {
                finish($0)
            }
            uploader.manager.operationQueue.isSuspended = false
        }
        await MainActor.run {}
        #expect(error == nil)
        #expect(shares.last == 1)
        #expect(shares == shares.sorted())
    }

    @Test
    func `a multipart body can be written to a file`() async throws {
        let room = try Room()
        let file = try room.file("body", Data())
        var request: NSMutableURLRequest?
        let error: Error? = await answer { finish in
            request = spool(room.url("/upload"), part: Data("hello".utf8), to: file) { finish($0) }
        }
        #expect(error == nil)
        let body = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(body.contains("name=\"kind\"\r\n\r\nlog\r\n"))
        #expect(body.contains("hello"))
        #expect(request?.httpBodyStream == nil)
        #expect(request?.value(forHTTPHeaderField: "Content-Length") == "\(body.utf8.count)")
    }

    @Test
    @MainActor
    func `a banner hears of the status`() async throws {
        let banner = ReachabilityBanner(
            manager: AFNetworkReachabilityManager(forDomain: "127.0.0.1"))
        banner.text = "before"
        let manager = banner.manager
        let (reports, continuation) = AsyncStream.makeStream(of: Void.self)
        let observer = NotificationCenter.default.addObserver(
            forName: NSNotification.Name.AFNetworkingReachabilityDidChange, object: nil, queue: nil
        ) { _ in continuation.yield() }
        defer { NotificationCenter.default.removeObserver(observer) }
        banner.start()
        for await _ in reports where banner.text != "before" { break }
        banner.stop()
        #expect(banner.text != "before")
        #expect(manager.networkReachabilityStatus == manager.status)
        #expect(AFNetworkReachabilityManager.shared() === AFNetworkReachabilityManager.shared)
    }

    @Test
    func `a pinned client keeps its policy`() {
        #expect(PinnedClient().isPinned)
    }

    @Test
    func `a pinned manager talks to the server that has the pin, and to no other`() async throws {
        let room = try Room()
        let identity = try TLSIdentity(.loopback)
        let pin = try room.file("pin.cer", identity.der)
        var statuses: [Int?] = []
        for shown in [identity, try TLSIdentity(.loopback)] {
            let server = LoopbackServer(tls: TLSSettings(shown))
            try server.start()
            defer { server.stop() }
            let manager = pinnedBank(server.baseURL, certificate: pin.path)
            // The test's certificate has signed itself.
            manager.securityPolicy.allowInvalidCertificates = true
            let status: Int? = await answer { finish in
                manager.get(
                    "json", parameters: nil,
                    success: { operation, _ in finish(operation.response?.statusCode) },
                    failure: { operation, _ in finish(operation?.response?.statusCode) })
            }
            statuses.append(status)
        }
        #expect(statuses == [200, nil])
    }

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
