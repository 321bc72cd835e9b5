import CurlConnection
import TestSupport

@testable import OperationNetworking

@Suite("A network thread's delays", .timeLimit(.minutes(1)))
struct ThreadClockTests {
    private let clock = TurnableClock()
    private let thread = NetworkThread(name: "delays")
    private let ran = Log<Bool>()

    @Test func `a block runs on the thread when its time has come, unless it is cancelled`() async {
        let alarms = (1...3).map { seconds in
            thread.perform(after: Double(seconds), of: clock.clock) { [ran, thread] in
                ran.add(thread.isCurrent)
            }
        }
        clock.turn(by: 0.5)
        #expect(ran.all.isEmpty)
        clock.turn(by: 0.5)
        #expect(await ran.reaches(1))
        #expect(alarms[1].cancel() && !alarms[0].cancel())
        clock.turn(by: 9)
        #expect(await ran.reaches(2))
        #expect(ran.all == [true, true])
    }

    @Test func `it wakes the thread by the system's clock too`() async {
        thread.perform(after: 0.01, of: .system) { [ran, thread] in ran.add(thread.isCurrent) }
        #expect(await ran.reaches(1))
        #expect(ran.all == [true])
    }
}
