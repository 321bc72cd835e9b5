import Testing

@testable import TimelinePage

@Suite("Marks too close to be told apart", .timeLimit(.minutes(1)))
struct MarkReductionTests {
    private let reduction = MarkReduction(duration: 1_000)

    private func lane(spans: [TimelineSpan] = [], dots: [TimelineDot] = []) -> TimelineLane {
        TimelineLane(id: "l", name: "l", kind: .thread, spans: spans, dots: dots)
    }

    @Test
    func `dots of one kind at one place become one that counts them and adds their bytes`() {
        let dots = (0..<3).map { index in
            TimelineDot(
                time: 100 + Double(index), name: "", kind: .received,
                subject: "operation \(index + 1)", bytes: 700)
        }
        let reduced = reduction.reduced(lane(dots: dots + [dots[0].moved(to: 200)])).dots
        #expect(reduced.map(\.count) == [3, 1])
        #expect(reduced[0].bytes == 2_100)
        #expect(reduced[0].subject == "operation 1, 2, 3")
        #expect(reduced[0].time == 100)
    }

    @Test
    func `dots of different kinds stay apart`() {
        let dots = [TimelineDot.Kind.callback, .failure].map {
            TimelineDot(time: 1, name: "", kind: $0)
        }
        #expect(reduction.reduced(lane(dots: dots)).dots.count == 2)
    }

    @Test
    func `short calls at one place become one; long ones stay, and so do other depths`() {
        func call(_ start: Double, _ end: Double, depth: Int = 0) -> TimelineSpan {
            TimelineSpan(start: start, end: end, name: "call", kind: .delegateCall, depth: depth)
        }
        let reduced = reduction.reduced(
            lane(spans: [call(1, 1.1), call(1.2, 1.3), call(1.2, 1.25, depth: 1), call(1.4, 50)])
        ).spans
        #expect(reduced.map(\.count) == [2, 1, 1])
        #expect(reduced[0].end == 1.3)
        #expect(reduced[0].name == "call")
    }

    @Test
    func `a bar that is somebody's is never merged`() {
        let bars = (0..<300).map { row in
            TimelineSpan(
                start: 1, end: 1.01, name: "GET", kind: .operation, subject: "operation \(row)",
                row: row)
        }
        #expect(reduction.reduced(lane(spans: bars)).spans.count == 300)
    }

    @Test
    func `whatever was recorded, a lane has about as many marks as it may, and loses none`() {
        let dots = (0..<50_000).map { index in
            TimelineDot(time: Double(index) / 50, name: "", kind: .received, bytes: 1)
        }
        let reduced = reduction.reduced(lane(dots: dots)).dots
        #expect(reduced.count <= 240)
        #expect(reduced.map(\.count).reduce(0, +) == 50_000)
        #expect(reduced.map(\.bytes).reduce(0, +) == 50_000)
    }
}

extension TimelineDot {
    fileprivate func moved(to time: Double) -> TimelineDot {
        var dot = self
        dot.time = time
        return dot
    }
}
