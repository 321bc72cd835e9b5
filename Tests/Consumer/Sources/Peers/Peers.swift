import Foundation
import LoopbackServer

/// The servers that the programs beside this one talk to, and their list of checks.
///
/// Call from: the main actor.
@MainActor
public final class Peers {
    /// httpbin's routes.
    public let plain = LoopbackServer(routes: .httpbin)
    /// A server of another origin.
    public let other = LoopbackServer(routes: .httpbin)
    /// Shows the certificate `pin`.
    public let secure: LoopbackServer
    /// The certificate in DER.
    public let pin: Data
    /// A folder that `end` removes.
    public let folder: URL
    private var failures = 0

    /// Starts the servers.
    public init() throws {
        let identity = try TLSIdentity(.loopback)
        pin = identity.der
        secure = LoopbackServer(routes: .httpbin, tls: TLSSettings(identity))
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("consumer-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for server in [plain, other, secure] { try server.start() }
        plain.add("/file") { Self.file(for: $0) }
    }

    /// What `/file` sends: 100,000 bytes.
    nonisolated public static let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })

    /// Without a range half of the body, and the rest when the gate "rest" is opened.
    nonisolated private static func file(for request: RecordedRequest) -> ScriptedResponse {
        let fields = [("ETag", "\"v\""), ("Accept-Ranges", "bytes")]
        let range = request.headers["Range"].flatMap {
            Int($0.dropFirst("bytes=".count).prefix { $0 != "-" })
        }
        guard let start = range, start < body.count else {
            return ScriptedResponse([
                .bytes(
                    ScriptedResponse.head(200, fields + [("Content-Length", "\(body.count)")])
                        + body.prefix(50_000)),
                .wait(gate: "rest"), .bytes(body.dropFirst(50_000)),
            ])
        }
        let own = [
            ("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)"),
            ("Content-Length", "\(body.count - start)"),
        ]
        return ScriptedResponse([
            .bytes(ScriptedResponse.head(206, fields + own) + body.dropFirst(start))
        ])
    }

    /// Prints a line and keeps the failure.
    public func check(_ name: String, _ holds: Bool, _ seen: Any? = nil) {
        print(holds ? "ok   " : "FAILS", name, holds ? "" : "(\(seen ?? "nothing"))")
        if !holds { failures += 1 }
    }

    /// Stops the servers and ends the program, with 1 if a check failed.
    public func end() -> Never {
        for server in [plain, other, secure] { server.stop() }
        try? FileManager.default.removeItem(at: folder)
        print(failures == 0 ? "all of it works" : "\(failures) checks failed")
        exit(failures == 0 ? 0 : 1)
    }
}
