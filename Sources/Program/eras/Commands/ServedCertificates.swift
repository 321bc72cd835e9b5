import Foundation
import LoopbackServer

/// The certificates of `eras serve --tls`, in a folder that is removed at the end.
struct ServedCertificates: Sendable {
    let settings: TLSSettings
    private let folder: URL

    private var authority: String { folder.appendingPathComponent("authority.pem").path }
    private var server: String { folder.appendingPathComponent("server.cer").path }

    /// - Throws: `LoopbackServerError` or `DiskError`.
    init() throws {
        let authority = try TLSIdentity(.authority("eras serve"))
        let identity = try TLSIdentity(.loopback, signedBy: authority)
        settings = TLSSettings(identity, chain: [authority.der])
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("eras-serve-\(UUID().uuidString.prefix(8))", isDirectory: true)
        try Directory(folder.path).make()
        try NewFile(self.authority).save(authority.pem)
        try NewFile(server).save(identity.der)
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
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
