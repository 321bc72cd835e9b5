import Foundation

extension Connection {
    /// How long the server waits for the peer to close after an early end, in nanoseconds.
    private static let lingerTime: UInt64 = 2_000_000_000

    /// Ends an exchange and begins to read the next request.
    func finish() {
        let isRead = exchange?.body.isComplete ?? true
        let keepsAlive = exchange?.keepsAlive ?? false
        exchangeEnded(abandoned: false)
        if !isRead {
            linger()
        } else if keepsAlive {
            phase = .head
        } else {
            end(.fin)
        }
    }

    private func exchangeEnded(abandoned: Bool) {
        trace.responseEnded(exchange?.steps ?? [])
        exchange = nil
        journal.ended(abandoned: abandoned)
    }

    /// Sends an error status for bytes that are not a request.
    func refuse(_ reason: Malformed) {
        journal.malformed()
        if exchange != nil {
            exchangeEnded(abandoned: true)
        }
        let body = Data(ScriptedResponse.reason(reason.status).utf8)
        let head = ScriptedResponse.head(
            reason.status, [("Content-Length", "\(body.count)"), ("Connection", "close")])
        if case .moved(let count) = (head + body).withUnsafeBytes({ send($0) }) {
            journal.moved(sent: count)
        }
        linger()
    }

    private func linger() {
        phase = .lingering
        deadline = Sockets.now() + Connection.lingerTime
        endSending()
    }

    /// Ends the sending side; over TLS after a close_notify alert, if the socket is writable.
    func endSending() {
        awaitsWritable = false
        if let tls, case .blocked = tls.sendCloseNotify() {
            awaitsWritable = true
        } else {
            Sockets.endSending(descriptor)
        }
    }

    /// Closes the descriptor. With `.fin` over TLS, if the alert cannot be sent yet, the connection
    /// lingers first.
    func end(_ ending: Ending) {
        guard phase != .closed else { return }
        let isLingering = phase == .lingering
        phase = .closed
        deadline = .max
        if exchange != nil {
            exchangeEnded(abandoned: ending == .abandoned)
        }
        if ending == .fin, !isLingering, let tls, case .blocked = tls.sendCloseNotify() {
            linger()
            return
        }
        if ending == .reset {
            Sockets.reset(descriptor)
        } else {
            if ending == .fin || ending == .cut { discardInput() }
            Sockets.closeDescriptor(descriptor)
        }
        journal.connectionClosed()
        trace.closed()
    }

    /// Reads what the kernel has received: a close with unread bytes would send a reset.
    private func discardInput() {
        for _ in 0..<64 {
            guard case .moved(let count) = Sockets.receive(descriptor, context.scratch) else {
                return
            }
            if tls == nil { journal.moved(received: count) }
        }
    }
}

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
