import EventRecorder
import Foundation
import Lessons
import TimelinePage

/// Pure: a lesson's run as a page with the recorded picture of each variant.
enum LessonPage {
    static func html(
        _ text: LessonText, _ result: ExperimentResult, _ recording: Recording,
        in language: Language, machine: Machine
    ) -> String {
        TimelinePage.html(of: document(text, result, recording, in: language, machine: machine))
    }

    static func document(
        _ text: LessonText, _ result: ExperimentResult, _ recording: Recording,
        in language: Language, machine: Machine
    ) -> TimelineDocument {
        var conclusion = ""
        if let answer = result.answer, text.answers.indices.contains(answer - 1) {
            conclusion = plain(
                LessonWords.comparison(guess: nil, answer: answer, text.answers[answer - 1])
                    .text(language))
        }
        let takes = self.takes(of: recording)
        let eras = takes.map { variant, part in
            // Tasks are the session era's.
            TimelineEra(
                variant, colour: variant == "tasks" ? .session : nil, heading: variant,
                recording: part, outcomes: outcomes(of: variant, result, language))
        }
        let scenario = TimelineScenario(
            id: "lesson", title: "", question: plain(text.question), conclusion: conclusion,
            eras: eras)
        return TimelineDocument(
            title: text.title, machine: machine.text, date: machine.date, scenarios: [scenario])
    }

    /// A sentence without Markdown's marks.
    private static func plain(_ text: String) -> String {
        text.replacing("`", with: "").replacing("*", with: "")
    }

    /// What was measured of a variant.
    private static func outcomes(
        of variant: String, _ result: ExperimentResult, _ language: Language
    ) -> [TimelineOutcome] {
        guard let column = result.variants.firstIndex(of: variant) else { return [] }
        return result.facts.filter { $0.values[column] != "-" }.map { fact in
            TimelineOutcome(
                callback: fact.what.text(language), thread: "", value: fact.values[column])
        }
    }

    /// The recording, cut where an experiment begins with a variant. A variant that was measured more
    /// than once has several parts; what had not ended in a part lasts until the next.
    static func takes(of recording: Recording) -> [(variant: String, part: Recording)] {
        var takes: [(variant: String, part: Recording)] = []
        for event in recording.events {
            let text = event.kind == .note ? recording.text(of: event) : ""
            if text.hasPrefix(Picture.mark) {
                if let last = takes.indices.last, !takes[last].part.events.isEmpty {
                    takes[last].part.events.append(
                        Event(time: event.time, thread: event.thread, kind: .note))
                }
                var part = recording
                part.events = []
                part.startTime = event.time
                takes.append((String(text.dropFirst(Picture.mark.count)), part))
            } else if !takes.isEmpty {
                takes[takes.count - 1].part.events.append(event)
            }
        }
        return takes.filter { !$0.variant.isEmpty && !$0.part.events.isEmpty }
    }
}
