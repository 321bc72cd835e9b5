import HTTPSemantics
import TestSupport

@testable import CurlConnection

@Suite("What is due at moments of a clock", .timeLimit(.minutes(1)))
struct LimitWatchTests {
    private final class Held {}

    @Test func `jobs run at their moment, the earliest first, and the next moment is known`() {
        var watch = LimitWatch(.system)
        var ran: [UInt64] = []
        for due in [30, 10, 20] as [UInt64] { _ = watch.add(DueJob { ran.append(due) }, at: due) }
        #expect(watch.next == 10 && !watch.isDue(at: 9))
        for job in watch.take(at: 20) { job.run() }
        #expect(ran == [10, 20])
        #expect(watch.next == 30 && watch.jobCount == 1)
    }

    @Test func `a cancelled job lets go of what it holds, and does not run`() {
        var watch = LimitWatch(.system)
        var held: Held? = Held()
        weak let seen = held
        let job = DueJob { [held] in withExtendedLifetime(held) { _ = Issue.record("It ran.") } }
        held = nil
        _ = watch.add(job, at: 1)
        #expect(seen != nil)
        job.cancel()
        #expect(seen == nil)
        for job in watch.take(at: 1) { job.run() }
    }

    @Test func `cancelled jobs are not kept until they are due`() {
        var watch = LimitWatch(.system)
        for due in 0..<10_000 {
            let job = DueJob {}
            _ = watch.add(job, at: .max - UInt64(due))
            job.cancel()
        }
        #expect(watch.jobCount <= 64)
    }
}
