import HTTPSemantics

/// A folder that is gone when the test is over.
package final class TemporaryFolder: Sendable {
    package let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("tests-\(UUID().uuidString)", isDirectory: true)

    package init() {
        do {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        } catch {
            Issue.record(error)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    package func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    package func write(_ name: String, _ bytes: Data = Data("content".utf8)) throws -> URL {
        let file = file(name)
        try bytes.write(to: file)
        return file
    }

    package func contents(_ name: String) -> Data? {
        FileManager.default.contents(atPath: file(name).path)
    }

    package func text(_ name: String) -> String? {
        contents(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The names in it, sorted.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }
}

/// The bytes the server makes of a seed.
package func generated(_ seed: UInt64, _ count: Int64 = 1_000) -> Data {
    GeneratedBytes.bytes(seed: seed, range: 0..<count)
}

/// The SHA-256 of the bytes.
package func hash(_ data: Data) throws -> String {
    let hash = try SHA256()
    data.withUnsafeBytes { hash.update($0) }
    return try hash.digest()
}
