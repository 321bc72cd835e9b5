import EraLessons
import EventRecorder
import Lessons
import TestSupport

@testable import eras

@Suite("The run loop, step by step", .timeLimit(.minutes(1)))
struct LoopStripTests {
    private static let (caller, thread) = (UInt32(1), UInt32(2))

    /// A run of lesson 5 whose source is in the default mode alone; times in milliseconds.
    private static var recording: Recording {
        func event(
            _ time: UInt64, _ kind: Event.Kind, _ phase: Event.Phase = .instant,
            by thread: UInt32 = Self.thread, text: String = ""
        ) -> Event {
            Event(
                time: time * 1_000_000, text: EventText(text), thread: thread, kind: kind,
                phase: phase)
        }
        var recording = Recording(events: [
            event(11, .runLoopMode, text: "tracking"),
            event(12, .runLoopSleep, .begin),
            event(13, .note, by: caller, text: "CFRunLoopSourceSignal, CFRunLoopWakeUp"),
            event(14, .runLoopSleep, .end),
            event(15, .runLoopSleep, .begin),
            event(300, .note, by: caller, text: "CFRunLoopStop"),
            event(301, .runLoopSleep, .end),
            event(302, .runLoopMode, text: "default"),
            event(303, .callback, .begin, text: "job"),
            event(304, .callback, .end, text: "job"),
            event(305, .runLoopSleep, .begin),
        ])
        recording.startTime = 10_000_000
        return recording
    }

    @Test func `each recorded event is a step with the loop's state after it`() {
        let steps = LoopStep.steps(of: Self.recording)
        #expect(
            steps.map(\.event) == [
                .mode("tracking"), .fellAsleep, .signalled(isWoken: true), .woke, .fellAsleep,
                .stopped, .woke, .mode("default"), .jobRan,
            ])
        #expect(steps.map(\.time) == [1, 2, 3, 4, 5, 290, 291, 292, 293])
        #expect(
            steps.map(\.isSignalled) == [false, false] + Array(repeating: true, count: 6) + [false])
        #expect(steps[4].loop == .asleep && steps[4].mode == "tracking")
        #expect(steps[4].words.text(.english).contains("it is not in this mode"))
        #expect(!steps[1].words.text(.english).contains("it is not in this mode"))
        #expect(LoopStep.steps(of: Recording(events: [])).isEmpty)
    }

    @Test func `what the former variant's thread still does, and other notes, are no steps`() {
        var recording = Self.recording
        let others = [
            Event(time: 10_000_001, thread: 9, kind: .callback, phase: .end),
            Event(time: 10_000_002, text: EventText("default"), thread: 9, kind: .runLoopMode),
            Event(time: 10_000_003, thread: 9, kind: .runLoopSleep, phase: .begin),
            Event(time: 10_000_004, text: EventText("remark"), thread: 1, kind: .note),
        ]
        recording.events.insert(contentsOf: others, at: 0)
        #expect(LoopStep.steps(of: recording) == LoopStep.steps(of: Self.recording))
    }

    @Test(arguments: Language.allCases)
    func `without its script a strip has every step, drawn and in words`(_ language: Language) {
        let takes = [(variant: "defaultModeOnly", part: Self.recording)]
        let html = LoopStrip(language: language, takes: takes).html
        let list = html.components(separatedBy: "<script>")[0]
        #expect(list.components(separatedBy: "<li>").count == 10)
        #expect(list.components(separatedBy: "<svg").count == 10)
        #expect(!list.contains("hidden>") && !html.contains("http"))
        // In the mode tracking the source is drawn apart, until the default mode is back.
        #expect(list.components(separatedBy: "source dashed").count == 8)
        #expect(list.components(separatedBy: "class=line").count == 3)
        for step in LoopStep.steps(of: Self.recording) {
            #expect(list.contains(step.words.text(language)))
        }
        let isChinese = language == .simplifiedChinese
        #expect(list.contains("一步一步看 RunLoop") == isChinese)
        #expect(html.contains("\"下一步\"") == isChinese)
    }

    @Test func `only the pages of lessons 3 to 5 have one, and only with a recording`() throws {
        #expect(LoopStrip(language: .english, takes: []).html.isEmpty)
        var recording = Self.recording
        recording.events.insert(
            Event(time: 10_000_000, text: EventText("variant correct"), kind: .note), at: 0)
        for (number, isShown) in [(2, false), (3, true), (5, true), (6, false)] {
            let lesson = try #require(Course.lesson(number))
            let html = LessonPage.html(
                try LessonText(of: lesson, in: .english), of: number,
                ExperimentResult(variants: [], facts: []), recording, in: .english,
                machine: .current)
            #expect(html.contains("<section class=steps>") == isShown, "\(number)")
        }
    }
}
