import Foundation
import Locking
import LoopbackServer

/// `eras serve`: runs the loopback server until SIGINT, SIGTERM or SIGHUP.
struct ServeCommand: Sendable {
    let options: ServeOptions
    /// Keeps the server to the end of the process, also where no signal's handler does.
    private static let kept = Locked<LoopbackServer?>(nil)

    /// - Throws: `LoopbackServerError` when the port is in use; `DiskError` where the certificate
    ///   cannot be written.
    func begin() throws {
        var routes = Routes.served
        try ServedPictures(scheme: options.isTLS ? "https" : "http").add(to: &routes)
        let certificates = options.isTLS ? try ServedCertificates() : nil
        let server = LoopbackServer(routes: routes, tls: certificates?.settings)
        do {
            try server.start(port: UInt16(options.port))
        } catch {
            certificates?.remove()
            throw error
        }
        let log = RequestLog()
        if !options.isQuiet {
            server.observe { request, status in
                let line = "\(request.method) \(request.target.prefix(200)) "
                log.add(PrintableText.line(line + (status == 0 ? "-" : "\(status)")))
            }
        }
        let width = routes.catalogue.map(\.path.count).max() ?? 0
        let lines = routes.catalogue.map {
            "  \(Padding.left($0.path, width))  \($0.sentence)\n"
        }
        let address = server.baseURL.absoluteString
        let note = certificates.map { "\n" + $0.note(for: address) } ?? ""
        let end = { @Sendable in
            certificates?.remove()
            log.end()
        }
        Self.kept.withLock { $0 = server }
        let ending = Self.ending
        // Installed before the address is printed, because its reader may then send a signal.
        Interruption.handle(beforeEndingAtOnce: end) {
            server.stop()
            end()
            ExitCode.success.leave()
        }
        Console.toOutput("\(address)\n\(note)\n\(lines.joined())\n\(ending)\n")
    }

    /// What ends the server: a script's `&` starts it so that it ignores SIGINT.
    private static var ending: String {
        if !Interruption.isIgnored(SIGINT) { return "Ctrl-C ends it." }
        return Interruption.isIgnored(SIGTERM)
            ? "SIGKILL ends it: kill -9 \(getpid())" : "SIGTERM ends it: kill \(getpid())"
    }
}

/// Writes a line for each request to standard error, and never blocks the server: where its reader is
/// too slow, lines are lost.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the lines that wait. Calls out: none.
private final class RequestLog: Sendable {
    private static let most = 1_000

    private let waiting = Locked<[String]>([])
    private let queue = DispatchQueue(label: "eras.serve.log")

    func add(_ line: String) {
        let isFirst = waiting.withLock { lines in
            guard lines.count < Self.most else { return false }
            lines.append(line)
            return lines.count == 1
        }
        if isFirst { queue.async { self.write() } }
    }

    /// Writes what waits, unless that would block.
    func end() {
        Console.giveUpWaiting()
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { isWritten.signal() }
        // A terminal that is not read blocks in the middle of a write.
        _ = isWritten.wait(timeout: .now() + 1)
    }

    private func write() {
        let lines = waiting.withLock { lines in
            defer { lines = [] }
            return lines
        }
        Console.toError(lines.map { $0 + "\n" }.joined())
    }
}

/// The certificates of `eras serve --tls`, in a folder that is removed at the end.
struct ServedCertificates: Sendable {
    let settings: TLSSettings
    private let folder = TemporaryFolder("eras-serve")

    private var authority: String { folder.url.appendingPathComponent("authority.pem").path }
    private var server: String { folder.url.appendingPathComponent("server.cer").path }

    /// - Throws: `LoopbackServerError` or `DiskError`.
    init() throws {
        let authority = try TLSIdentity(.authority("eras serve"))
        let identity = try TLSIdentity(.loopback, signedBy: authority)
        settings = TLSSettings(identity, chain: [authority.der])
        // Clients of other users may read the certificates.
        try folder.make(mode: 0o755)
        try NewFile(self.authority).save(authority.pem)
        try NewFile(server).save(identity.der)
    }

    func remove() {
        folder.remove()
    }

    /// How to use the files.
    func note(for address: String) -> String {
        """
        The authority that signed its certificate, for clients that are to trust it:
          \(authority)
          curl --cacert \(authority) \(address)get
          SSL_CERT_FILE=\(authority) eras fetch \(address)get
        The server's own certificate, to be pinned:
          \(server)

        """
    }
}
