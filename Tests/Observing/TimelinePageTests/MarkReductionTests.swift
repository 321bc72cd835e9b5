import Testing

@testable import TimelinePage

@Suite("Marks too close to be distinguished", .timeLimit(.minutes(1)))
struct MarkReductionTests {
    private let reduction = MarkReduction(duration: 1_000)

    private func track(spans: [TimelineSpan] = [], dots: [TimelineDot] = []) -> TimelineTrack {
        TimelineTrack(id: "l", name: "l", kind: .thread, spans: spans, dots: dots)
    }

    @Test
    func `dots of one kind at one time become one that counts them and adds their bytes`() {
        let dots = (0..<3).map { index in
            TimelineDot(
                time: 100 + Double(index), name: "", kind: .received,
                subject: "operation \(index + 1)", bytes: 700)
        }
        let reduced = reduction.reduced(track(dots: dots + [dots[0].moved(to: 200)])).dots
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
        #expect(reduction.reduced(track(dots: dots)).dots.count == 2)
    }

    @Test
    func `short calls at one time become one; long ones and other depths are not merged`() {
        func call(_ start: Double, _ end: Double, depth: Int = 0) -> TimelineSpan {
            TimelineSpan(start: start, end: end, name: "call", kind: .delegateCall, depth: depth)
        }
        let reduced = reduction.reduced(
            track(spans: [call(1, 1.1), call(1.2, 1.3), call(1.2, 1.25, depth: 1), call(1.4, 50)])
        ).spans
        #expect(reduced.map(\.count) == [2, 1, 1])
        #expect(reduced[0].end == 1.3)
        #expect(reduced[0].name == "call")
    }

    @Test
    func `a bar of one operation, socket or connection is never merged`() {
        let bars = (0..<300).map { row in
            TimelineSpan(
                start: 1, end: 1.01, name: "GET", kind: .operation, subject: "operation \(row)",
                row: row)
        }
        #expect(reduction.reduced(track(spans: bars)).spans.count == 300)
    }

    @Test
    func `whatever was recorded, a track has about as many marks as it may, and loses none`() {
        let dots = (0..<50_000).map { index in
            TimelineDot(time: Double(index) / 50, name: "", kind: .received, bytes: 1)
        }
        let reduced = reduction.reduced(track(dots: dots)).dots
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
