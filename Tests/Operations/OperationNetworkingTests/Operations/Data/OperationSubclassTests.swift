import TestSupport

@testable import CurlConnection
@testable import OperationNetworking

/// Sees every call of the connection and passes it on.
final class WatchingOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because all it adds is a constant.
    let log = Log<String>()

    private func note(_ text: String) {
        #expect(networkThread.isCurrent)
        log.add(text)
    }

    override func connection(
        _ connection: URLConnection, willSend request: URLRequest, redirectResponse: URLResponse?
    ) -> URLRequest? {
        note(redirectResponse == nil ? "send" : "redirect")
        var changed = request
        changed.setValue("yes", forHTTPHeaderField: "X-Changed")
        return super.connection(connection, willSend: changed, redirectResponse: redirectResponse)
    }

    override func connection(
        _ connection: URLConnection, willSendRequestFor challenge: URLAuthenticationChallenge
    ) {
        note("challenge")
        super.connection(connection, willSendRequestFor: challenge)
    }

    override func connection(_ connection: URLConnection, needNewBodyStream request: URLRequest)
        -> InputStream?
    {
        note("new body")
        let none = super.connection(connection, needNewBodyStream: request)
        #expect(none == nil)
        return InputStream(data: Pieces.whole)
    }

    override func connection(
        _ connection: URLConnection, didSendBodyData bytesWritten: Int64, totalBytesWritten: Int64,
        totalBytesExpectedToWrite: Int64
    ) {
        note("sent")
        super.connection(
            connection, didSendBodyData: bytesWritten, totalBytesWritten: totalBytesWritten,
            totalBytesExpectedToWrite: totalBytesExpectedToWrite)
    }

    override func connection(_ connection: URLConnection, didReceive response: URLResponse) {
        note("response")
        super.connection(connection, didReceive: response)
        #expect(self.response === response)
    }

    override func connection(_ connection: URLConnection, didReceive data: Data) {
        note("data \(data.count)")
        super.connection(connection, didReceive: data)
    }

    override func connectionDidFinishLoading(_ connection: URLConnection) {
        note("finish")
        super.connectionDidFinishLoading(connection)
        #expect(isFinished)
    }

    override func connection(_ connection: URLConnection, didFailWithError error: any Error) {
        note("fail")
        super.connection(connection, didFailWithError: error)
        #expect(isFinished)
    }
}

/// Drops every second byte before the operation sees it.
private final class HalvingOperation: URLConnectionOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass and adds nothing.
    override func connection(_ connection: URLConnection, didReceive data: Data) {
        let half = data.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        super.connection(connection, didReceive: Data(half))
    }
}

@Suite("Subclasses of an operation", .timeLimit(.minutes(5)))
struct OperationSubclassTests {
    private let world = TestWorld(routes: .pieces)

    private func watching(_ request: URLRequest) -> WatchingOperation {
        let operation = WatchingOperation(request: request)
        operation.networkThread = world.thread
        return operation
    }

    @Test
    func `a subclass sees redirect, challenge, upload, response, data and end, in order`() async {
        var request = world.request("/redirect?to=/basic&status=307")
        request.httpMethod = "POST"
        request.httpBody = Data("body".utf8)
        let operation = watching(request)
        operation.credential = URLCredential(user: "user", password: "pass", persistence: .none)
        await operation.run()
        #expect(operation.responseString == "authorized")
        let calls = operation.log.all
        #expect(calls.first == "send")
        #expect(
            calls.filter { $0 != "sent" && !$0.hasPrefix("send") } == [
                "redirect", "challenge", "response", "data 10", "finish",
            ])
        #expect(calls.contains("sent"))
        #expect(world.server.requests.allSatisfy { $0.headers["X-Changed"] == "yes" })
    }

    @Test
    func `a subclass sees a failure`() async {
        world.server.add("/cut") { _ in
            ScriptedResponse([
                .bytes(ScriptedResponse.head(200, [("Content-Length", "9")]) + Data("x".utf8)),
                .close,
            ])
        }
        let operation = watching(world.request("/cut"))
        await operation.run()
        #expect(operation.log.all == ["send", "response", "data 1", "fail"])
        #expect(operation.errorCode == .networkConnectionLost)
    }

    @Test
    func `a subclass can give a body stream again, where the operation has none (ST-12)`() async {
        var request = world.request("/redirect?to=/echo-body&status=307")
        request.httpMethod = "POST"
        let operation = watching(request)
        operation.inputStream = InputDouble(.init())
        await operation.run()
        #expect(operation.error == nil)
        #expect(operation.log.all.contains("new body"))
        #expect(operation.responseData == Pieces.whole)
    }

    @Test
    func `without a new body stream a redirected upload fails, and says why (ST-12)`() async {
        var request = world.request("/redirect?to=/echo-body&status=307")
        request.httpMethod = "POST"
        let operation = world.plainOperation(request)
        operation.inputStream = InputDouble(.init())
        await operation.run()
        #expect(operation.errorCode == .requestBodyStreamExhausted)
    }

    @Test
    func `what a subclass passes to super is what the operation stores`() async {
        let operation = HalvingOperation(request: world.request("/three/sized"))
        operation.networkThread = world.thread
        await operation.run()
        #expect(operation.totalBytesRead == 9)
        #expect(operation.responseString == "acegikmoq")
    }

    @Test
    func `a subclass hears nothing after a cancel`() async {
        let operation = watching(world.request("/three/held"))
        let stored = Signal()
        operation.setDownloadProgressBlock { _, _, _ in stored.fire() }
        let end = operation.endSignal()
        operation.start()
        await stored.wait()
        operation.cancel()
        await end.wait()
        world.server.release("rest")
        #expect(operation.log.all == ["send", "response", "data 7"])
        #expect(operation.errorCode == .cancelled)
    }
}
