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

    /// Goes on with the handshake; one that fails ends the connection.
    func shakeHands() {
        guard let tls else { return }
        switch tls.shakeHands() {
        case .blocked:
            return
        case .moved:
            phase = .head
            journal.shookHands(tls.handshake(connection: number))
        case .ended:
            journal.shookHands(nil)
            end(.fin)
        }
    }

    /// Takes what a slow reader left in TLS, of which poll does not know.
    func takePending() -> Bool {
        guard let tls, tls.hasPending, case .moved(let count) = tls.receive(context.scratch) else {
            return false
        }
        journal.moved(received: count)
        input.append(UnsafeRawBufferPointer(rebasing: context.scratch[..<count]))
        return true
    }
}
