import COpenSSL
import CurlConnection
import HTTPSemantics
import OperationNetworking
import ProcessUse
import TestSupport

/// A process that ends in the middle of everything: loads by TLS, uploads, stored responses, cancels, where other
/// code called OpenSSL before and so has it take its tables down at exit.
@Suite("Exits at any moment", .serialized, .timeLimit(.minutes(30)))
struct ExitStormTests {
    /// Set `EXITS=500` for the long form.
    private static let count =
        ProcessInfo.processInfo.environment["EXITS"].flatMap { Int($0) } ?? 12

    // A sanitizer has exit handlers of its own, and reports what ends with the process.
    @Test(.enabled(if: PeakMemory.isMeaningful))
    func `no exit ends by a signal, though other code called OpenSSL first`() async throws {
        let identity = try TLSIdentity(.loopback, signedBy: TLSIdentity(.authority("exits")))
        let servers = [LoopbackServer(), LoopbackServer(tls: TLSSettings(identity))]
        for server in servers {
            try server.start()
            server.add("/stored") { _ in
                .data(Data(count: 30_000), headers: [("Cache-Control", "max-age=600")])
            }
        }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "exits-\(UUID().uuidString)", isDirectory: true)
        defer {
            servers.forEach { $0.stop() }
            try? FileManager.default.removeItem(at: folder)
        }
        let (plain, secure) = (
            servers[0].url("/").absoluteString, servers[1].url("/").absoluteString
        )
        for seed in 0..<Self.count {
            let place = folder.appendingPathComponent("\(seed)").path
            await #expect(processExitsWith: .success, "seed \(seed)") {
                [
                    seed = seed as Int, plain = plain as String, secure = secure as String,
                    place = place as String
                ] in
                var storm = ExitStorm(seed: UInt64(seed), plain, secure, place)
                try storm.run()
            }
        }
    }
}

/// What runs in the process that ends.
private struct ExitStorm {
    private var random: SeededNumbers
    private let bases: [String]
    private let folder: URL

    init(seed: UInt64, _ plain: String, _ secure: String, _ place: String) {
        random = SeededNumbers(seed: seed)
        bases = [plain, secure]
        folder = URL(fileURLWithPath: place, isDirectory: true)
    }

    mutating func run() throws {
        // As other code does it: OpenSSL registers its own end.
        OPENSSL_init_crypto(0, nil)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("body")
        try Data(count: 200_000).write(to: file)
        let cache = try ResponseCache(
            memoryCapacity: 0, diskCapacity: 8 << 20,
            directory: folder.appendingPathComponent("cache"))
        let threads = (0..<2).map { NetworkThread(name: "exit \($0)") }
        var operations: [URLConnectionOperation] = []
        for number in 0..<40 {
            let operation = try operation(number, file, cache)
            operation.networkThread = threads[number % 2]
            operation.start()
            operations.append(operation)
            if Int.random(in: 0..<3, using: &random) == 0 {
                operations.randomElement(using: &random)?.cancel()
            }
        }
        for number in 0..<4 {
            DispatchQueue(label: "hash \(number)").async { while true { Self.hash() } }
        }
        usleep(UInt32.random(in: 0..<40_000, using: &random))
        exit(0)
    }

    private static func hash() {
        guard let hash = try? SHA256() else { return _ = usleep(1_000) }
        Data(count: 10_000).withUnsafeBytes { hash.update($0) }
        _ = try? hash.digest()
    }

    private mutating func operation(
        _ number: Int, _ file: URL, _ cache: ResponseCache
    ) throws -> URLConnectionOperation {
        let base = bases.randomElement(using: &random) ?? ""
        let path = ["ok", "stored?\(number)", "upload", "bytes/100000"]
            .randomElement(using: &random)
        guard let url = URL(string: base + (path ?? "")) else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        if path == "upload" { request.httpMethod = "POST" }
        let operation = URLConnectionOperation(request: request)
        if path == "upload" { operation.inputStream = InputStream(url: file) }
        operation.configuration.responseCache = cache
        operation.securityPolicy.allowInvalidCertificates = true
        return operation
    }
}
