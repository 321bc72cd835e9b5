import CurlConnection
import TestSupport

/// What tests of suspended loads have in common.
protocol Suspending {}

extension Suspending {
    /// A recorder that suspends its connection once, at a call.
    func suspending(at call: Call) -> Recorder {
        let recorder = Recorder()
        recorder.onCall = { heard, connection in
            if heard == call, recorder.heard.count(call) == 1 { connection.suspend() }
        }
        return recorder
    }

    func resume(_ recorder: Recorder, _ world: TestWorld) {
        _ = world.thread.sync { recorder.connection?.resume() }
    }

    func suspend(_ recorder: Recorder, _ world: TestWorld) {
        _ = world.thread.sync { recorder.connection?.suspend() }
        world.thread.settle()
    }
}
