import OperationNetworking
import TestSupport

@Suite("Input streams of an operation", .timeLimit(.minutes(5)))
struct InputStreamTests {
    private let world = TestWorld(routes: .pieces)

    private func operation(
        _ script: InputDouble.Script, declared: Int? = nil
    ) -> (URLConnectionOperation, InputDouble) {
        var request = world.request("/echo-body")
        request.httpMethod = "POST"
        if let declared { request.setValue("\(declared)", forHTTPHeaderField: "Content-Length") }
        let operation = world.plainOperation(request)
        let stream = InputDouble(script)
        operation.inputStream = stream
        return (operation, stream)
    }

    @Test
    func `the input stream is the request's body stream (ST-11)`() {
        let (operation, stream) = operation(.init())
        #expect(operation.request.httpBodyStream === stream)
        operation.inputStream = nil
        #expect(operation.request.httpBodyStream == nil)
    }

    @Test(
        arguments: 1...7
    )
    func `pieces of any size arrive as one body, with and without a declared length`(step: Int)
        async
    {
        let data = Data((0..<30_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let gives = (0..<9_000).map { ($0 * 5 + step) % 7 + 1 }
        for declared in [nil, data.count] {
            let (operation, stream) = operation(.init(data: data, gives: gives), declared: declared)
            await operation.run()
            #expect(operation.error == nil)
            #expect(operation.responseData == data)
            #expect(stream.streamStatus == .closed)
        }
    }

    @Test(
        arguments: [0, 7, 17, 18], [nil, 18])
    func `a stream that is dry for a while rests; other operations go on (wound 11)`(
        byte: Int, declared: Int?
    ) async {
        if byte == 18, declared == 18 { return }
        let (operation, stream) = operation(.init(isDryAt: byte), declared: declared)
        let end = operation.endSignal()
        operation.start()
        await stream.dry.wait(for: 3)
        let other = world.plainOperation("/bytes/100000")
        await other.run()
        #expect(other.responseData?.count == 100_000)
        #expect(operation.isExecuting)
        stream.goOn()
        await end.wait()
        #expect(operation.error == nil)
        #expect(operation.responseData == Pieces.whole)
        #expect(stream.streamStatus == .closed)
    }

    @Test(arguments: 0..<18)
    func `a stream that fails at any byte fails the operation, its error below`(byte: Int) async {
        for declared in [nil, 18] {
            let (operation, stream) = operation(.init(failsAt: byte), declared: declared)
            await operation.run()
            let error = operation.error as? URLError
            #expect(error?.code == .requestBodyStreamExhausted)
            let below = (error?.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
            #expect(below?.domain == InputDouble.broken.domain)
            #expect(below?.code == InputDouble.broken.code)
            #expect(operation.responseData == nil)
            #expect(stream.streamStatus == .closed)
        }
        #expect(!world.server.requests.contains { $0.bodyIsComplete })
    }

    @Test
    func `a stream that fails without an error to tell fails the operation`() async {
        let (operation, stream) = operation(.init(failsAt: 9, failure: nil))
        await operation.run()
        #expect(operation.errorCode == .requestBodyStreamExhausted)
        #expect(stream.streamStatus == .closed)
    }

    @Test
    func `a cancel while the stream is dry closes it`() async {
        let (operation, stream) = operation(.init(isDryAt: 7))
        let end = operation.endSignal()
        operation.start()
        await stream.dry.wait()
        operation.cancel()
        await end.wait()
        #expect(operation.errorCode == .cancelled)
        #expect(stream.streamStatus == .closed)
    }
}
