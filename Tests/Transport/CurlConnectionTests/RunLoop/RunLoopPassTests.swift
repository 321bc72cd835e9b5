import TestSupport

@testable import CurlConnection

@Suite("A pass of the run loop", .timeLimit(.minutes(1)))
struct RunLoopPassTests {
    @Test func `what is put off while the pass ends waits for no other pass`() {
        var calls: [String] = []
        let pass = RunLoopPass { calls.append("ended") }
        pass.run {
            pass.atEnd {
                calls.append("first")
                pass.atEnd {
                    calls.append("second, open: \(pass.isOpen)")
                    pass.atEnd { calls.append("third") }
                }
            }
        }
        #expect(calls == ["ended", "first", "ended", "second, open: false", "third"])
    }

    @Test func `the end of a pass inside another leaves the outer one open`() {
        var calls: [String] = []
        let pass = RunLoopPass { calls.append("ended") }
        pass.run {
            pass.run {}
            #expect(pass.isOpen)
            pass.atEnd { calls.append("block") }
        }
        #expect(calls == ["ended", "ended", "block", "ended"])
        #expect(!pass.isOpen)
    }
}
