import TestSupport

/// A process of `Tests/Shared/Peers/faultserver.py`: one path for each way a server can misbehave.
///
/// It ends with its owner: `stop`, the last reference gone, or the end of this process, whose side
/// of the pipe it reads from then closes.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; all is set once. `stop` blocks until the process is gone.
final class FaultPeer: Sendable {
    /// The listeners by name: HTTP, HANG, RST, SPEAKFIRST, BLACKHOLE, CLOSED, and TLS if asked for.
    let ports: [String: Int]
    private let process: Process
    private let lifeline = Pipe()
    private let hasEnded = DispatchGroup()

    /// For tests that need no counts and no log of their own.
    static let shared = Result { try FaultPeer() }

    /// Why no peer can run here; nil where one can.
    static let isAvailable = python != nil
    static let need: Comment = "Needs python3 (Debian: apt-get install python3)."

    private static let python: URL? = program("python3")

    /// A program of the search path.
    static func program(_ name: String) -> URL? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (["/usr/bin"] + path.split(separator: ":").map(String.init)).map {
            URL(fileURLWithPath: $0).appendingPathComponent(name)
        }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// The folder of the peers' sources.
    static let folder = packageFolder.appendingPathComponent("Tests/Shared/Peers")

    struct Failure: Error {
        var text: String
    }

    /// - Parameter identity: PEM files of a certificate chain and its key, for the TLS listener.
    init(identity: (chain: URL, key: URL)? = nil) throws {
        let process = try Self.server(["--until-eof"], identity)
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = lifeline
        hasEnded.enter()
        process.terminationHandler = { [hasEnded] _ in hasEnded.leave() }
        try process.run()
        self.process = process
        ports = Self.ports(in: output.fileHandleForReading)
        guard ports["CLOSED"] != nil else {
            throw Failure(text: "The fault server did not name its ports.")
        }
    }

    deinit {
        stop()
    }

    /// Ends the process and waits for it. A second call does nothing.
    func stop() {
        // Not SIGTERM: a child inherits what the threads of Dispatch block.
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
        }
        hasEnded.wait()
    }

    /// - Parameter host: 127.0.0.1, 127.0.0.2 or ::1; the last two with the HTTP and TLS ports
    ///   only.
    func url(_ path: String, _ listener: String = "HTTP", host: String = "127.0.0.1") -> URL {
        var parts = URLComponents()
        parts.scheme = listener == "TLS" ? "https" : "http"
        parts.host = host
        parts.port = ports[listener]
        let url = parts.url ?? URL(fileURLWithPath: "/")
        return URL(string: path, relativeTo: url)?.absoluteURL ?? url
    }

    /// Every path the server knows, or those of one group.
    static func paths(inGroup group: String? = nil) throws -> [String] {
        struct Entry: Decodable {
            var path: String
            var group: String
        }
        let process = try server(["--list"], nil)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let list = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode([Entry].self, from: list)
            .filter { group == nil || $0.group == group }.map(\.path)
    }

    private static func server(
        _ arguments: [String], _ identity: (chain: URL, key: URL)?
    ) throws -> Process {
        guard let python else { throw Failure(text: "\(need)") }
        let process = Process()
        process.executableURL = python
        process.arguments =
            [folder.appendingPathComponent("faultserver.py").path] + arguments
            + (identity.map { ["--tls", $0.chain.path, $0.key.path] } ?? [])
        return process
    }

    /// Reads `NAME=PORT` lines up to the last one.
    private static func ports(in output: FileHandle) -> [String: Int] {
        var text = ""
        while !(text.contains("CLOSED=") && text.hasSuffix("\n")) {
            let piece = output.availableData
            if piece.isEmpty { break }
            text += String(decoding: piece, as: UTF8.self)
        }
        let pairs = text.split(separator: "\n").compactMap { line -> (String, Int)? in
            let parts = line.split(separator: "=")
            guard parts.count == 2, let port = Int(parts[1]) else { return nil }
            return (String(parts[0]), port)
        }
        return Dictionary(pairs) { $1 }
    }
}
