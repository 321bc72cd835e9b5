import Foundation
import LoopbackServer

/// `eras serve`: runs the loopback server until SIGINT.
struct ServeCommand: Sendable {
    private let options: ServeOptions

    init(_ options: ServeOptions) {
        self.options = options
    }

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
        if !options.isQuiet {
            server.observe { request, status in
                let line = "\(request.method) \(request.target.prefix(200)) "
                Console.toError(PrintableText.line(line + (status == 0 ? "-" : "\(status)")) + "\n")
            }
        }
        let width = routes.catalogue.map(\.path.count).max() ?? 0
        let lines = routes.catalogue.map {
            "  \(Padding.left($0.path, width))  \($0.sentence)\n"
        }
        let address = server.baseURL.absoluteString
        let note = certificates.map { "\n" + $0.note(for: address) } ?? ""
        Lifetime.keep(server)
        // Before the address is printed.
        Lifetime.keep(
            Interruption(ending: { certificates?.remove() }) {
                server.stop()
                certificates?.remove()
                ExitCode.success.leave()
            })
        Console.toOutput("\(address)\n\(note)\n\(lines.joined())\nCtrl-C ends it.\n")
    }
}
