import Foundation

/// Ends answers and connections.
extension Connection {
    /// How long the peer has to close after an early end, in nanoseconds.
    private static let lingerTime: UInt64 = 2_000_000_000

    /// Ends an answered request and looks for the next.
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
        trace.answered(exchange?.steps ?? [])
        exchange = nil
        journal.ended(abandoned: abandoned)
    }

    /// Answers bytes that are not a request.
    func refuse(_ reason: Malformed) {
        journal.malformed()
        if exchange != nil {
            exchangeEnded(abandoned: true)
        }
        let body = Data(StatusText.reason(reason.status).utf8)
        let head = Answer.head(
            reason.status, [("Content-Length", "\(body.count)"), ("Connection", "close")])
        if case .moved(let count) = (head + body).withUnsafeBytes({ send($0) }) {
            journal.moved(sent: count)
        }
        linger()
    }

    /// Says that nothing follows and leaves the peer time to close.
    private func linger() {
        phase = .lingering
        deadline = Sockets.now() + Connection.lingerTime
        endSending()
    }

    /// Ends the sending side, over TLS when there is room for its last words.
    func endSending() {
        awaitsRoom = false
        if let tls, case .blocked = tls.sayGoodbye() {
            awaitsRoom = true
        } else {
            Sockets.endSending(descriptor)
        }
    }

    /// Closes the descriptor, or later where TLS waits for room; all but `.abandoned` end an answer
    /// on purpose.
    func end(_ ending: Ending) {
        guard phase != .closed else { return }
        let isLingering = phase == .lingering
        phase = .closed
        deadline = .max
        if exchange != nil {
            exchangeEnded(abandoned: ending == .abandoned)
        }
        if ending == .fin, !isLingering, let tls, case .blocked = tls.sayGoodbye() {
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

    /// Takes what the kernel still holds, since a close on unread bytes would be a reset.
    private func discardInput() {
        for _ in 0..<64 {
            guard case .moved(let count) = Sockets.receive(descriptor, context.scratch) else {
                return
            }
            if tls == nil { journal.moved(received: count) }
        }
    }
}
