import CurlConnection
import OperationNetworking
import ProcessUse
import TestSupport

extension AllFaultTests {
    /// A form is sent from its file, not from memory (MP-12, wounds 18 and 34).
    @Suite(.timeLimit(.minutes(5)))
    struct UploadMemoryTests {
        /// Set `UPLOAD_MIB=4096` for the long form.
        private static let sparse =
            ProcessInfo.processInfo.environment["UPLOAD_MIB"].flatMap { Int64($0) } ?? 256

        @Test
        func `a photo of 64 MiB goes out while memory grows by less than 16 MiB`() async throws {
            let file = try temporaryFile()
            defer { try? FileManager.default.removeItem(at: file) }
            let block = Data((0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            let writer = try FileHandle(forWritingTo: file)
            for _ in 0..<64 { try writer.write(contentsOf: block) }
            try writer.close()
            try await upload(file, bytes: 64 << 20, growingBy: 16 << 20)
        }

        @Test
        func `a sparse file of any size goes out while memory grows by less than 40 MiB`()
            async throws
        {
            let file = try temporaryFile()
            defer { try? FileManager.default.removeItem(at: file) }
            let writer = try FileHandle(forWritingTo: file)
            try writer.truncate(atOffset: UInt64(Self.sparse) << 20)
            try writer.close()
            try await upload(file, bytes: Self.sparse << 20, growingBy: 40 << 20)
        }

        private func temporaryFile() throws -> URL {
            let file = FileManager.default.temporaryDirectory
                .appendingPathComponent("photo-\(UUID().uuidString).png")
            try Data().write(to: file)
            return file
        }

        private func upload(_ file: URL, bytes: Int64, growingBy limit: Int) async throws {
            let server = LoopbackServer.started()
            defer { server.stop() }
            let manager = HTTPRequestOperationManager(baseURL: server.url("/"))
            // The first upload pays for what is loaded once.
            _ = try await send(Data(count: 1_000), by: manager)
            let before = try PeakMemory.reset()
            let received: Int64 = try await send(file, by: manager)
            let growth = try PeakMemory.now() - before
            print("upload of \(bytes >> 20) MiB: memory grew by \(growth >> 10) KiB")
            #expect(received > bytes)
            #expect(growth < limit)
        }

        /// Posts a form with one part; the bytes the server received.
        private func send(_ part: some Sendable, by manager: HTTPRequestOperationManager)
            async throws -> Int64
        {
            try await withCheckedThrowingContinuation { continuation in
                manager.post(
                    "upload", parameters: ["name": "photo"],
                    constructingBody: { form in
                        if let file = part as? URL {
                            try? form.appendPart(fileURL: file, name: "photo")
                        } else if let data = part as? Data {
                            form.appendPart(formData: data, name: "photo")
                        }
                    },
                    success: { _, object in
                        let bytes = (object as? [String: Any])?["bytes"] as? NSNumber
                        continuation.resume(returning: bytes?.int64Value ?? -1)
                    }, failure: { _, error in continuation.resume(throwing: error) })
            }
        }
    }
}
