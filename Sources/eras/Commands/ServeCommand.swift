import Foundation
import LoopbackServer

/// `eras serve`: the loopback server until SIGINT.
struct ServeCommand: Sendable {
    private let options: ServeOptions

    init(_ options: ServeOptions) {
        self.options = options
    }

    /// - Throws: `LoopbackServerError` when the port is in use.
    func begin() throws {
        let server = LoopbackServer()
        try server.start(port: options.port)
        let width = Routes.catalogue.map(\.path.count).max() ?? 0
        let lines = Routes.catalogue.map {
            "  \(ProgressText.left($0.path, width))  \($0.sentence)\n"
        }
        Console.toOutput(
            "\(server.baseURL.absoluteString)\n\n\(lines.joined())\nCtrl-C ends it.\n")
        Lifetime.keep(server)
        Lifetime.keep(
            Interruption {
                server.stop()
                ExitCode.success.leave()
            })
    }
}
