import OperationNetworking
import SessionEra
import TestSupport

@Suite("The size of a file that is uploaded", .timeLimit(.minutes(2)))
struct UploadSizeTests {
    /// The network thread must not wait for a disk. In a process of its own, whose thread is held.
    @Test func `it is read before the network thread begins`() async {
        await #expect(processExitsWith: .success) {
            let server = LoopbackServer.started()
            let manager = URLSessionManager(sessionConfiguration: .ephemeral)
            manager.completionQueue = DispatchQueue(label: "completion")
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("\(UUID().uuidString).upload")
            try Data(count: 10).write(to: file)
            let (gate, held) = (DispatchSemaphore(value: 0), Signal())
            NetworkThread.shared.perform(inModes: [.common]) {
                held.fire()
                gate.wait()
            }
            await held.wait()
            var request = URLRequest(url: server.url("/post"))
            request.httpMethod = "POST"
            let errors = Log<(any Error)?>()
            manager.uploadTask(with: request, fromFile: file) { errors.add($2) }.resume()
            try FileManager.default.removeItem(at: file)
            gate.signal()
            #expect(await errors.reaches(1))
            // The stream's error, and not the file manager's.
            #expect((errors.all.first ?? nil) is URLError, "\(errors.all)")
        }
    }
}
