import CurlConnection
import HTTPSemantics
import OperationNetworking
import TestSupport

/// In a process of its own, where nothing else opens anything.
@Suite("Files of operations and executed programs", .timeLimit(.minutes(5)))
struct InheritedFileTests {
    @Test func `a program that is executed gets no file that takes a response, no route socket`()
        async
    {
        await #expect(processExitsWith: .success) {
            let before = InheritedDescriptors.now()
            let world = TestWorld(routes: .pieces)
            let folder = TemporaryFolder()
            let path = folder.url.appendingPathComponent("body").path
            let reachability = NetworkReachabilityManager(domain: "localhost")
            reachability.startMonitoring()
            let operation = world.plainOperation("/three/held")
            operation.outputStream = OutputStream(toFileAtPath: path, append: false)
            let end = operation.endSignal()
            operation.start()
            #expect(await world.reached("rest"))
            for _ in 0..<10_000 where !InheritedDescriptors.isOpen(path) {
                await world.settle()
            }
            #expect(InheritedDescriptors.isOpen(path))
            #expect(InheritedDescriptors.now(since: before) == [])
            world.server.release("rest")
            await end.wait()
            #expect(operation.error == nil)
            reachability.stopMonitoring()
        }
    }

    @Test func `a program that is executed gets no file of a cache or of a download`() async {
        await #expect(processExitsWith: .success) {
            let before = InheritedDescriptors.now()
            let world = TestWorld(routes: .pieces)
            let folder = TemporaryFolder()
            world.server.add("/kept") { _ in
                .data(Data(count: 100_000), headers: [("Cache-Control", "max-age=1000")])
            }
            let cache = try ResponseCache(
                memoryCapacity: 0, diskCapacity: 1 << 20,
                directory: folder.url.appendingPathComponent("cache", isDirectory: true))
            for _ in 0..<2 {
                let operation = world.plainOperation("/kept")
                operation.configuration.responseCache = cache
                await operation.run()
                #expect(operation.responseData?.count == 100_000)
            }
            let request = world.request("/three/held")
            let file = folder.url.appendingPathComponent("file")
            async let end = OperationManager().download(request, to: file, options: .once)
            #expect(await world.reached("rest"))
            #expect(InheritedDescriptors.now(since: before) == [])
            world.server.release("rest")
            _ = try await end
            #expect(InheritedDescriptors.now(since: before) == [])
        }
    }
}
