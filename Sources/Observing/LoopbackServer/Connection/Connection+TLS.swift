/// Moves bytes through TLS, or through the socket where there is none.
extension Connection {
    func receive(_ room: UnsafeMutableRawBufferPointer) -> Transfer {
        guard let tls else { return Sockets.receive(descriptor, room) }
        return tls.receive(room)
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> Transfer {
        guard let tls else { return Sockets.send(descriptor, bytes) }
        return tls.send(bytes)
    }

    /// Continues the handshake; a handshake that fails ends the connection.
    func continueHandshake() {
        guard let tls else { return }
        switch tls.continueHandshake() {
        case .blocked:
            return
        case .moved:
            phase = .head
            journal.handshakeEnded(tls.handshake(connection: number))
        case .ended:
            journal.handshakeEnded(nil)
            end(.fin)
        }
    }

    /// Takes decrypted bytes that OpenSSL has buffered; `poll` reports nothing for them.
    func takePending() -> Bool {
        guard let tls, tls.hasPending, case .moved(let count) = tls.receive(context.scratch) else {
            return false
        }
        journal.moved(received: count)
        input.append(UnsafeRawBufferPointer(rebasing: context.scratch[..<count]))
        return true
    }
}
