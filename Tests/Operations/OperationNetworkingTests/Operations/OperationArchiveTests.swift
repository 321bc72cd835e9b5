import TestSupport

@testable import OperationNetworking

@Suite("Archives of an operation", .timeLimit(.minutes(5)))
struct OperationArchiveTests {
    private let world = TestWorld(routes: .pieces)

    @Test
    func `secure coding is supported (CO-1)`() {
        #expect(URLConnectionOperation.supportsSecureCoding)
        #expect(ArchivableOperation.supportsSecureCoding)
    }

    @Test(
        arguments: LifeStage.allCases)
    func `an archive has request, state and results; the original stays as it was (CO-2, CO-4)`(
        stage: LifeStage
    ) async throws {
        let request = StagedOperation.request(world)
        let staged = await StagedOperation(
            URLConnectionOperation(request: request), at: stage, on: world)
        let before = staged.state
        let result = try again(staged.operation)
        #expect(result.request.url == request.url)
        #expect(result.request.httpMethod == "GET")
        #expect(result.request.timeoutInterval == 47)
        #expect(result.request.allHTTPHeaderFields == ["X-Own": "mine"])
        #expect(result.isFinished == (stage == .finished))
        #expect(result.isReady == (stage != .finished))
        #expect(!result.isExecuting && !result.isPaused)
        let status = (result.response as? HTTPURLResponse)?.statusCode
        #expect(status == (stage == .ready ? nil : 200))
        #expect(result.responseData == (stage == .finished ? Pieces.whole : nil))
        #expect(result.totalBytesRead == staged.operation.totalBytesRead)
        #expect(result.error == nil)
        await staged.expectUntouched(request, before, stage)
    }

    @Test(
        arguments: [LifeStage.ready, .executing, .paused])
    func `an operation from an archive that was not finished runs from the start (CO-4)`(
        stage: LifeStage
    ) async throws {
        let staged = await StagedOperation(
            URLConnectionOperation(request: StagedOperation.request(world)), at: stage, on: world)
        let result = try again(staged.operation)
        staged.operation.cancel()
        if stage == .ready { staged.operation.start() }
        await staged.end.wait()
        world.server.release("rest")
        result.networkThread = world.thread
        await result.run()
        #expect(result.error == nil)
        #expect(result.responseData == Pieces.whole)
        #expect(result.totalBytesRead == 18)
    }

    @Test
    func `a finished operation from an archive gives its text (CO-1)`() async throws {
        let operation = world.plainOperation("/text?value=caf%C3%A9&charset=iso-8859-1")
        await operation.run()
        let result = try again(operation)
        #expect(result.responseStringEncoding == .isoLatin1)
        #expect(result.responseString == "café")
    }

    @Test
    func `a method, a body and all header fields come back (CO-1)`() throws {
        var request = world.request("/echo-body")
        request.httpMethod = "PUT"
        request.httpBody = Data("body".utf8)
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        request.setValue("x", forHTTPHeaderField: "X-Other")
        let result = try again(world.plainOperation(request)).request
        #expect(result.httpMethod == "PUT")
        #expect(result.httpBody == Data("body".utf8))
        #expect(result.allHTTPHeaderFields == request.allHTTPHeaderFields)
    }

    @Test
    func `a stream is not archived, and the original keeps it (CO-1)`() throws {
        var request = world.request("/echo-body")
        request.httpMethod = "POST"
        let operation = world.plainOperation(request)
        let stream = InputDouble(.init())
        operation.inputStream = stream
        let result = try again(operation)
        #expect(result.inputStream == nil)
        #expect(operation.inputStream === stream)
    }

    @Test
    func `an error comes back with its domain, code and text (CO-1)`() async throws {
        let half = ScriptedResponse.head(200, [("Content-Length", "100")]) + Data("half".utf8)
        world.server.add("/cut") { _ in ScriptedResponse([.bytes(half), .close]) }
        let lost = world.plainOperation("/cut")
        await lost.run()
        let result = try again(lost)
        #expect(result.errorCode == .networkConnectionLost)
        #expect(result.error?.localizedDescription == lost.error?.localizedDescription)
        #expect(result.totalBytesRead == 4)
        #expect((result.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(result.isFinished)
    }

    @Test
    func `an error of another domain comes back (CO-1)`() async throws {
        let operation = world.plainOperation("/three/sized")
        operation.outputStream = OutputDouble(.init(failsAt: 5))
        await operation.run()
        let error = try again(operation).error.map { $0 as NSError }
        #expect(error?.domain == OutputDouble.full.domain)
        #expect(error?.code == OutputDouble.full.code)
    }

    @Test(arguments: LifeStage.allCases)
    func `a subclass comes back as itself, in every state`(stage: LifeStage) async throws {
        let request = StagedOperation.request(world)
        let operation = ArchivableOperation(request: request)
        let staged = await StagedOperation(operation, at: stage, on: world)
        let before = staged.state
        let result = try again(operation)
        #expect(result.request.url == request.url)
        #expect(result.isFinished == (stage == .finished))
        await staged.expectUntouched(request, before, stage)
    }

    @Test
    func
        `bytes that are no archive of an operation throw or give nil, and do not stop the process`()
        throws
    {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: "text" as NSString, requiringSecureCoding: true)
        let result = try? NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [URLConnectionOperation.self, NSString.self], from: data)
        #expect(!(result is URLConnectionOperation))
    }
}
