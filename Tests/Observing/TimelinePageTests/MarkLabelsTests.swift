import EventRecorder
import Testing

@testable import TimelinePage

@Suite("Names beside marks", .timeLimit(.minutes(1)))
struct MarkLabelsTests {
    private func bar(_ start: Double, _ end: Double, _ name: String) -> MarkLabels.Mark {
        MarkLabels.Mark(start: start, end: end, isDot: false, middle: 10, name: name)
    }

    private func dot(_ time: Double, _ name: String) -> MarkLabels.Mark {
        MarkLabels.Mark(start: time, end: time, isDot: true, middle: 8, name: name)
    }

    private func html(_ marks: MarkLabels.Mark...) -> String {
        MarkLabels(marks, duration: 100).html
    }

    @Test
    func `a name is inside its bar, else behind it, else before it`() {
        #expect(
            html(bar(0, 90, "GET"))
                == "<span class=\"who in\" style=\"left:0%;top:10px\">GET</span>")
        #expect(
            html(bar(10, 10.1, "GET"))
                == "<span class=\"who\" style=\"left:10.1%;top:10px\">GET</span>")
        #expect(
            html(bar(99, 100, "GET"))
                == "<span class=\"who before\" style=\"right:1%;top:10px\">GET</span>")
    }

    @Test
    func `a name that another mark leaves no space is left out, on a narrow screen earlier`() {
        #expect(html(bar(0, 1, "GET"), bar(1, 1.5, ""), bar(1.5, 100, "")).isEmpty)
        let labels = html(bar(0, 1, "GET"), bar(6, 100, ""))
        #expect(labels == "<span class=\"who wide\" style=\"left:1%;top:10px\">GET</span>")
    }

    @Test
    func `dots that touch share a label, and one without a name is in the way`() {
        #expect(html(dot(50, "default"), dot(50.2, "job")).contains(">default, job</span>"))
        #expect(html(dot(50, "job"), dot(52, "")).contains("right:50%"))
    }

    @Test
    func `the end of a thread, for which another waits, is no lock`() throws {
        var tape = Tape()
        tape.span(0, 90, .lockHold, on: 8, subject: 5, value: 0)
        tape.span(10, 80, .lockWait, on: 7, subject: 5)
        let era = TimelineEra(
            "connection", heading: "", recording: tape.recording, detail: .eachThread)
        #expect(era.facts.peakLockDepth == nil)
        #expect(!era.tracks.contains { $0.kind == .lock })
        #expect(!era.tracks.flatMap(\.spans).contains { $0.kind == .lockHeld })
        #expect(era.waits.count == 1)
    }
}
