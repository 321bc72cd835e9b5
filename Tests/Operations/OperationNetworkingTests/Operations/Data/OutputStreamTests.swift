import OperationNetworking
import TestSupport

@Suite("Output streams of an operation", .timeLimit(.minutes(5)))
struct OutputStreamTests {
    private let world = TestWorld(routes: .pieces)

    private func operation(
        _ path: String, _ script: OutputDouble.Script
    ) -> (URLConnectionOperation, OutputDouble) {
        let operation = world.plainOperation(path)
        let stream = OutputDouble(script)
        operation.outputStream = stream
        return (operation, stream)
    }

    @Test(
        arguments: ["/three/chunked", "/three/sized", "/bytes/30000"], 1...7)
    func `a partial write goes on where it stopped (ST-3, wound 33)`(path: String, step: Int) async
    {
        let takes = (0..<9_000).map { ($0 * 5 + step) % 7 + 1 }
        let (operation, stream) = operation(path, .init(takes: takes))
        await operation.run()
        let plain = world.plainOperation(path)
        await plain.run()
        #expect(operation.error == nil)
        #expect(stream.stored == plain.responseData)
        #expect(operation.totalBytesRead == Int64(stream.stored.count))
        #expect(stream.streamStatus == .closed)
        #expect(stream.writesWhenClosed == 0)
    }

    @Test(
        arguments: ["/three/chunked", "/three/sized"], 0..<18)
    func `a write that fails at any byte fails the operation with the stream's error (wound 10)`(
        path: String, byte: Int
    ) async {
        for failsByRoom in [false, true] {
            for takes in [Int.max, 2] {
                let (operation, stream) = operation(
                    path, .init(takes: [takes], failsAt: byte, failsByRoom: failsByRoom))
                await operation.run()
                let error = operation.error.map { $0 as NSError }
                #expect(error?.domain == OutputDouble.full.domain)
                #expect(error?.code == OutputDouble.full.code)
                #expect(operation.isFinished)
                #expect(operation.responseData == nil)
                #expect(stream.stored == Pieces.whole.prefix(byte))
                #expect(stream.streamStatus == .closed)
                #expect(stream.writesWhenClosed == 0)
            }
        }
    }

    @Test
    func `a failed write of a stream that has no error to tell is an error (wound 10)`() async {
        let (operation, stream) = operation("/three/sized", .init(failsAt: 17, failure: nil))
        await operation.run()
        #expect(operation.error != nil)
        #expect(stream.streamStatus == .closed)
    }

    @Test
    func `after a failed write the connection is closed (wound 10)`() async {
        let (operation, _) = operation("/three/held", .init(failsAt: 3))
        await operation.run()
        #expect(operation.error != nil)
        #expect(await world.sees { $0.connectionsAccepted == 1 && $0.connectionsOpen == 0 })
        world.server.release("rest")
    }

    @Test(
        arguments: ["/three/sized", "/bytes/3000000"], [true, false])
    func `a stream that never takes a byte stops its own operation only (wounds 11, 49)`(
        path: String, hasRoom: Bool
    ) async {
        let (stuck, stream) = operation(path, .init(takes: [0], hasRoom: hasRoom))
        let end = stuck.endSignal()
        stuck.start()
        await stream.refused.wait()
        let other = world.plainOperation("/bytes/100000")
        await other.run()
        #expect(other.error == nil)
        #expect(other.responseData?.count == 100_000)
        #expect(stuck.isExecuting)
        #expect(stuck.totalBytesRead == 0)
        stuck.cancel()
        await end.wait()
        #expect(stuck.errorCode == .cancelled)
        #expect(stream.streamStatus == .closed)
    }

    @Test(
        arguments: ["/three/chunked", "/three/sized", "/bytes/3000000"],
        [[0], [3, 0], [1, 0, 2, 0]])
    func `a stream that has no room for a while gets every byte once (wounds 11, 33)`(
        path: String, takes: [Int]
    ) async {
        for hasRoom in [true, false] {
            let (operation, stream) = operation(path, .init(takes: takes, hasRoom: hasRoom))
            let end = operation.endSignal()
            operation.start()
            await stream.refused.wait(for: 3)
            #expect(operation.isExecuting)
            stream.giveRoom()
            await end.wait()
            let plain = world.plainOperation(path)
            await plain.run()
            #expect(operation.error == nil)
            #expect(stream.stored == plain.responseData)
        }
    }
}
