import OperationNetworking
import SessionEra
import TestSupport

/// In a process of its own, where nothing else opens anything.
@Suite("Files that are uploaded and executed programs", .timeLimit(.minutes(5)))
struct InheritedUploadTests {
    @Test func `a program that is executed gets no file that is being uploaded`() async {
        await #expect(processExitsWith: .success) {
            let before = InheritedDescriptors.now()
            let server = LoopbackServer.started()
            server.add("/held", beforeBody: true) { _ in
                ScriptedResponse([.wait(gate: "held"), .close])
            }
            let manager = URLSessionManager(sessionConfiguration: .ephemeral)
            manager.completionQueue = DispatchQueue(label: "completion")
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("\(UUID().uuidString).upload")
            try Data().write(to: file)
            // More than the sockets take.
            try #require(truncate(file.path, 64 << 20) == 0)
            var request = URLRequest(url: server.url("/held"))
            request.httpMethod = "POST"
            let ended = Signal()
            manager.uploadTask(with: request, fromFile: file) { _, _, _ in ended.fire() }.resume()
            #expect(await server.reaches("held", count: 1))
            for _ in 0..<10_000 where !InheritedDescriptors.isOpen(file.path) {
                await withCheckedContinuation { continuation in
                    NetworkThread.shared.perform(inModes: [.common]) { continuation.resume() }
                }
            }
            #expect(InheritedDescriptors.isOpen(file.path))
            #expect(InheritedDescriptors.now(since: before) == [])
            server.release("held")
            await ended.wait()
            try FileManager.default.removeItem(at: file)
        }
    }
}
