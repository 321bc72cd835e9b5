import CurlConnection
import TestSupport

/// What a program gets that the process executes. Each in a process of its own, where nothing else opens anything.
@Suite("Descriptors and executed programs", .timeLimit(.minutes(5)))
struct InheritedDescriptorTests {
    @Test func `a program that is executed gets no descriptor of libcurl's`() async {
        await #expect(processExitsWith: .success) {
            let before = InheritedDescriptors.now()
            try withWorld { world in
                #expect(world.load("/ok").text == "hello world")
                try withSecureWorld { world in
                    let recorder = Recorder()
                    world.start(recorder)
                    #expect(recorder.atEnd().status == 200)
                    #expect(InheritedDescriptors.now(since: before) == [])
                }
            }
        }
    }

    @Test func `a program that is executed gets no file that is being sent`() async {
        await #expect(processExitsWith: .success) {
            let before = InheritedDescriptors.now()
            let file = try TemporaryFile(Data())
            // More than the sockets take.
            try #require(truncate(file.path, 64 << 20) == 0)
            try withWorld { world in
                world.server.add("/held", beforeBody: true) { _ in
                    ScriptedResponse([.wait(gate: "held"), .close])
                }
                var request = world.request("/held", "POST")
                request.httpBodyStream = InputStream(fileAtPath: file.path)
                let recorder = Recorder()
                world.thread.start(request, recorder)
                #expect(world.server.waitUntilReached("held", count: 1, timeout: patience))
                #expect(recorder.wait { $0.sentTotal > 0 })
                #expect(InheritedDescriptors.isOpen(file.path))
                #expect(InheritedDescriptors.now(since: before) == [])
                world.server.release("held")
                _ = recorder.atEnd()
            }
        }
    }
}
