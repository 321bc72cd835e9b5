import Foundation
import LoopbackServer

/// An authority, a server's identity that it signed, and the file by which clients trust it.
struct TLSRoom {
    let authority: TLSIdentity
    let identity: TLSIdentity
    private let folder: URL

    init(_ change: (inout TLSIdentity.Form) -> Void = { _ in }) throws {
        var form = TLSIdentity.Form.loopback
        change(&form)
        authority = try TLSIdentity(.authority("Loopback authority"))
        identity = try TLSIdentity(form, signedBy: authority)
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try authority.pem.write(to: folder.appendingPathComponent("authority.pem"))
    }

    func end() {
        try? FileManager.default.removeItem(at: folder)
    }

    /// A client that trusts the authority.
    var client: ClientTLS.Settings {
        ClientTLS.Settings(trusted: folder.appendingPathComponent("authority.pem").path)
    }

    func client(_ change: (inout ClientTLS.Settings) -> Void) -> ClientTLS.Settings {
        var settings = client
        change(&settings)
        return settings
    }
}

/// Serves over TLS, runs the body, and stops the server.
func withTLSServer(
    _ change: (inout TLSSettings) throws -> Void = { _ in },
    identity form: (inout TLSIdentity.Form) -> Void = { _ in },
    _ body: (LoopbackServer, TLSRoom) throws -> Void
) throws {
    let room = try TLSRoom(form)
    defer { room.end() }
    var settings = TLSSettings(room.identity)
    try change(&settings)
    try withServer(tls: settings) { try body($0, room) }
}
