import DrawnPictures
import NetworkImages
import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier C: program 22.
    @Suite("C: images", .timeLimit(.minutes(5)))
    struct ImageTests {
        /// The smallest GIF.
        private static let dot = Data([
            0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 1, 0, 1, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 0, 0x2c, 0,
            0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b,
        ])

        private func file(_ name: String) throws -> Data {
            try #require(GeneratedPicture.all().first { $0.name == name }).data
        }

        private func add(_ exam: Exam, _ path: String, _ data: Data, _ type: String) throws {
            try exam.loopback().add(path) { _ in .data(data, contentType: type) }
        }

        private func manager(_ exam: Exam) -> HTTPRequestOperationManager {
            let manager = exam.manager()
            manager.responseSerializer = ImageResponseSerializer()
            return manager
        }

        @Test func `22. PNG, JPEG and GIF, with the pixels they had`() async throws {
            try await Exam.run { exam in
                try add(exam, "/image/jpeg", file("gradient.jpg"), "image/jpeg")
                try add(exam, "/gradient", file("gradient.png"), "image/png")
                try add(exam, "/dot", Self.dot, "image/gif")
                let manager = manager(exam)
                var images: [DecodedImage] = []
                for path in ["image/png", "image/jpeg", "gradient", "dot"] {
                    let operation = manager.get(path, success: exam.success, failure: exam.failure)
                    let outcome = try await exam.outcome(of: operation)
                    images.append(try #require(outcome.object as? DecodedImage, "\(path)"))
                }
                #expect(images.map(\.pixelWidth) == [16, 160, 160, 1])
                #expect(images.map(\.pixelHeight) == [16, 120, 120, 1])
                let (jpeg, png) = (try images[1].pixels(), try images[2].pixels())
                let difference = zip(jpeg, png).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                #expect(Double(difference) / Double(png.count) < 4)
                #expect(try images[3].pixels() == Data([255, 0, 0, 255]))
                #expect(images.allSatisfy { $0.scale == 1 })
            }
        }

        @Test func `22. A page, a cut file, a lying header: failures`() async throws {
            try await Exam.run { exam in
                let png = try file("gradient.png")
                try add(exam, "/cut", png.prefix(png.count / 2), "image/png")
                var header = Data("IHDR".utf8) + [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30]
                header += png[24..<29]
                let huge = png.prefix(12) + header + checksum(of: header) + png[33...]
                try add(exam, "/huge", huge, "image/png")
                let manager = manager(exam)
                for path in ["html", "cut"] {
                    let operation = manager.get(path, success: exam.success, failure: exam.failure)
                    let error = try await exam.error(of: operation)
                    #expect(error.code == NSURLErrorCannotDecodeContentData, "\(path)")
                    #expect(error.domain == NetworkingError.responseSerializationDomain)
                }
                exam.allow { $0.codes.insert(NSURLErrorDataLengthExceedsMaximum) }
                let operation = manager.get("huge", success: exam.success, failure: exam.failure)
                let error = try await exam.error(of: operation)
                #expect(error.code == NSURLErrorDataLengthExceedsMaximum)
                let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
                #expect(cause?.domain == ImageLimitError.errorDomain)
            }
        }

        /// PNG's checksum of a chunk's name and content.
        private func checksum(of bytes: Data) -> Data {
            var sum = ~UInt32(0)
            for byte in bytes {
                sum ^= UInt32(byte)
                for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
            }
            return withUnsafeBytes(of: (~sum).bigEndian) { Data($0) }
        }
    }
}
