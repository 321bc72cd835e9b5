import SessionTasks
import TestSupport

@testable import RequestEra

@Suite("A streamed body is read once", .timeLimit(.minutes(2)))
struct UploadStreamTests {
    private func stream() -> InputStream { InputStream(data: Data("hello".utf8)) }

    private func isUsedUp(_ error: (any Error)?) -> Bool {
        guard case .multipartEncodingFailed(.inputStreamReadFailed) = error as? AFError else {
            return false
        }
        return true
    }

    @Test func `a stream is sent whole`() async throws {
        let world = TestWorld.requests()
        let request = world.manager.upload(stream(), to: world.address("/post"))
        #expect(await request.ended().response?.statusCode == 200)
        #expect(world.server.requests.map(\.bodyLength) == [5])
    }

    @Test func `a retry fails with an AFError, and sends nothing`()
        async throws
    {
        let world = TestWorld.requests()
        world.manager.retrier = Retrier.upTo(9)
        let request = world.manager.upload(stream(), to: world.address("/status/503"))
        let response = await request.validate().ended()
        #expect(isUsedUp(response.error))
        #expect(world.server.requests.count == 1)
    }

    @Test func `the stream of a data request or a download is not sent a second time either`()
        async throws
    {
        let world = TestWorld.requests()
        world.manager.retrier = Retrier { request, error, completion in
            completion(request.retryCount == 0 && (error as? AFError)?.responseCode == 503, 0)
        }
        var plain = try URLRequest(url: world.address("/status/503"), method: .post)
        plain.httpBodyStream = stream()
        #expect(isUsedUp(await world.manager.request(plain).validate().ended().error))
        plain.httpBodyStream = stream()
        #expect(isUsedUp(await world.manager.download(plain).validate().ended().error))
        #expect(world.server.requests.map(\.bodyLength) == [5, 5])
    }

    @Test func `the stream of an attempt that the adapter refused is sent whole by the next`()
        async throws
    {
        let world = TestWorld.requests()
        let isRefused = Locked(true)
        world.manager.adapter = Adapter { request in
            if isRefused.withLock({ $0 }) { throw PlainError(tag: "refused") }
            return request
        }
        world.manager.retrier = Retrier { request, _, completion in
            isRefused.withLock { $0 = false }
            completion(request.retryCount == 0, 0)
        }
        var plain = try URLRequest(url: world.address("/post"), method: .post)
        plain.httpBodyStream = stream()
        #expect(await world.manager.request(plain).ended().response?.statusCode == 200)
        #expect(world.server.requests.map(\.bodyLength) == [5])
    }

    @Test func `a closure that gives no stream fails the request, and no empty body is sent`()
        async throws
    {
        let world = TestWorld.requests()
        world.delegate.taskNeedNewBodyStream = { _, _ in nil }
        #expect(
            isUsedUp(await world.manager.upload(stream(), to: world.address("/post")).ended().error)
        )
        world.delegate.taskNeedNewBodyStreamWithCompletion = { _, _, completion in completion(nil) }
        #expect(
            isUsedUp(await world.manager.upload(stream(), to: world.address("/post")).ended().error)
        )
        #expect(world.server.requests.isEmpty)
    }

    @Test func `a redirect that needs the body again fails with an AFError`() async throws {
        let world = TestWorld.requests()
        world.server.add("/again") { _ in .redirect(to: "/post", status: 307) }
        let response = await world.manager.upload(stream(), to: world.address("/again")).ended()
        #expect(isUsedUp(response.error))
        #expect(world.server.requests.map(\.path) == ["/again"])
    }

    @Test func `a closure gives a stream for each attempt`() async throws {
        let world = TestWorld.requests()
        world.delegate.taskNeedNewBodyStream = { _, _ in InputStream(data: Data("hello".utf8)) }
        world.manager.retrier = Retrier.upTo(1)
        let request = world.manager.upload(stream(), to: world.address("/status/503"))
        #expect(await (request.validate().ended().error as? AFError)?.responseCode == 503)
        #expect(world.server.requests.map(\.bodyLength) == [5, 5])
    }
}
