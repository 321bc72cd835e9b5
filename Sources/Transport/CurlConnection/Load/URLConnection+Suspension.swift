import Foundation

// A load that rests: nothing is told, and what is under way goes on where it was.

/// Whether a load rests, and what goes on when it is resumed.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct Suspension {
    var isOn = false
    /// In their order.
    var held: [() -> Void] = []
}

extension URLConnection {
    /// Stops what is told and received, until `resume`; before `start` too. Reentrant.
    ///
    /// A request that was sent keeps its connection, whose socket is not read: the server sees
    /// back-pressure, and after `resume` the response goes on where it was. Its place among those that
    /// use connections (`httpMaximumConnectionsPerHost`) stays taken. A request that was not sent is
    /// not sent meanwhile, and keeps nobody else waiting. The request's `timeoutInterval` does
    /// not run; the limit for the whole load does, and fails the connection. The delegate hears nothing
    /// else. An answer to a question is kept.
    package func suspend() {
        guard !isOver, !suspension.isOn else { return }
        suspension.isOn = true
        transfer?.suspend()
        watchDeadline()
    }

    /// Goes on after `suspend`; the delegate is not called inside this call. Reentrant.
    package func resume() {
        guard suspension.isOn else { return }
        suspension.isOn = false
        guard !isOver else { return }
        transfer?.resume()
        guard !suspension.held.isEmpty else { return }
        readyTransport()?.later { self.goOnWithHeld() }
    }

    /// Whether it rests.
    package var isSuspended: Bool { suspension.isOn }

    /// Keeps a job until the connection is resumed; it is dropped when the load ends before.
    func hold(_ job: @escaping () -> Void) {
        suspension.held.append(job)
        watchDeadline()
    }

    private func goOnWithHeld() {
        while !suspension.isOn, !isOver, !suspension.held.isEmpty {
            suspension.held.removeFirst()()
        }
    }
}

/// What goes on once the delegate has taken the bytes that it has.
///
/// ## Concurrency
/// Call from: the connection's thread. Lock: none.
struct ConsumerWait {
    var block: (() -> Void)?
    /// Of the wait under way.
    var number = 0
}

extension URLConnection {
    /// Whether the whole response is there, so that the delegate's last bytes are all that is waited for.
    package var hasReceivedAll: Bool {
        guard question == nil else { return false }
        return state == .serving || transfer?.hasDeliveredAll == true
    }

    /// The delegate has taken bytes, and may be asked for more at once.
    package func consumerTook() {
        guard !isOver, !suspension.isOn else { return }
        if let block = consumerWait.block {
            consumerWait.block = nil
            return block()
        }
        guard let transfer, let transport else { return }
        transport.later { transfer.pollAtOnce() }
    }

    /// Goes on when the delegate has taken bytes, or after a while, since not every delegate tells.
    func waitForConsumer(_ goOn: @escaping () -> Void) {
        consumerWait.number += 1
        let number = consumerWait.number
        consumerWait.block = goOn
        later(after: 0.02) {
            guard self.consumerWait.number == number, let block = self.consumerWait.block else {
                return
            }
            self.consumerWait.block = nil
            block()
        }
    }
}
