/// A stop for a thread that walks into it; it is released at the latest when it is dropped.
package final class LifeHold: Sendable {
    package let isHeld = Signal()
    private let gate = DispatchSemaphore(value: 0)

    package init() {}

    package func stop() {
        let gate = gate
        isHeld.fire()
        if gate.wait(timeout: .now() + patience) != .success {
            Issue.record("A held thread was never released.")
        }
    }

    package func release() {
        gate.signal()
    }
}
