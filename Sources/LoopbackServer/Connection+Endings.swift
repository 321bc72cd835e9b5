import Foundation

/// Ends answers and connections.
extension Connection {
    /// How long the peer has to close after an early end, in nanoseconds.
    private static let lingerTime: UInt64 = 2_000_000_000

    /// Ends an answered request and looks for the next.
    func finish() {
        let isRead = exchange?.body.isComplete ?? true
        let keepsAlive = exchange?.keepsAlive ?? false
        exchange = nil
        journal.ended(abandoned: false)
        if !isRead {
            Sockets.endSending(descriptor)
            phase = .lingering
            deadline = Sockets.now() + Connection.lingerTime
        } else if keepsAlive {
            phase = .head
        } else {
            end(.fin)
        }
    }

    /// Answers bytes that are not a request.
    func refuse(_ reason: Malformed) {
        journal.malformed()
        if exchange != nil {
            exchange = nil
            journal.ended(abandoned: true)
        }
        let body = Data(StatusText.reason(reason.status).utf8)
        let head = Answer.head(
            reason.status, [("Content-Length", "\(body.count)"), ("Connection", "close")])
        if case .moved(let count) = (head + body).withUnsafeBytes({
            Sockets.send(descriptor, $0)
        }) {
            journal.moved(sent: count)
        }
        Sockets.endSending(descriptor)
        phase = .lingering
        deadline = Sockets.now() + Connection.lingerTime
    }

    /// Closes the descriptor; `.fin` and `.reset` end an answer on purpose.
    func end(_ ending: Ending) {
        guard phase != .closed else { return }
        phase = .closed
        deadline = .max
        if exchange != nil {
            exchange = nil
            journal.ended(abandoned: ending == .abandoned)
        }
        if ending == .reset {
            Sockets.reset(descriptor)
        } else {
            if ending == .fin { discardInput() }
            Sockets.closeDescriptor(descriptor)
        }
        journal.connectionClosed()
    }

    /// Takes what the kernel still holds, since a close on unread bytes would be a reset.
    private func discardInput() {
        for _ in 0..<64 {
            guard case .moved(let count) = Sockets.receive(descriptor, context.scratch) else {
                return
            }
            journal.moved(received: count)
        }
    }
}
