import EraLessons
import EventRecorder
import Foundation
import Lessons
import TimelinePage

/// A lesson's run as a page with the timeline of each variant.
enum LessonPage {
    static func html(
        _ text: LessonText, of lesson: Int, guess: Int? = nil, _ result: ExperimentResult,
        _ recording: Recording, in language: Language, machine: Machine
    ) -> String {
        let strip =
            LoopStrip.lessons.contains(lesson)
            ? LoopStrip(language: language, takes: takes(of: recording)).html : ""
        return TimelinePage.html(
            of: document(
                text, of: lesson, guess: guess, result, recording, in: language, machine: machine),
            article: strip + LessonArticle(text: text).html)
    }

    static func document(
        _ text: LessonText, of lesson: Int, guess: Int? = nil, _ result: ExperimentResult,
        _ recording: Recording, in language: Language, machine: Machine
    ) -> TimelineDocument {
        var conclusion = ""
        if let answer = result.answer, text.answers.indices.contains(answer - 1) {
            conclusion = plain(
                LessonWords.comparison(guess: guess, answer: answer, text.answers[answer - 1])
                    .text(language))
        }
        let takes = self.takes(of: recording)
        let eras = takes.enumerated().map { index, take in
            let (variant, part) = take
            // The second and later parts of a variant have a number.
            let before = takes[..<index].count { $0.variant == variant }
            let title = PictureWords.title(of: variant, part: before, of: lesson)
            // Tasks have the session era's colour.
            return TimelineEra(
                variant, colour: variant == "tasks" ? .session : nil,
                heading: before == 0 ? variant : "\(variant) \(before + 1)",
                title: title?.text(language) ?? "", recording: part,
                detail: .eachThread,
                outcomes: before == 0 ? outcomes(of: variant, result, language) : [])
        }
        let scenario = TimelineScenario(
            id: "lesson", title: "", question: plain(text.question), conclusion: conclusion,
            advice: PictureWords.advice(for: lesson)?.text(language) ?? "", hasOwnAxes: true,
            eras: eras)
        return TimelineDocument(
            title: text.title, machine: machine.text, date: machine.date,
            language: language.rawValue, scenarios: [scenario])
    }

    /// A sentence without Markdown.
    private static func plain(_ text: String) -> String {
        text.replacing("`", with: "").replacing("*", with: "")
    }

    /// The measurements of a variant.
    private static func outcomes(
        of variant: String, _ result: ExperimentResult, _ language: Language
    ) -> [TimelineOutcome] {
        guard let column = result.variants.firstIndex(of: variant) else { return [] }
        return result.facts.filter { $0.values[column] != "-" }.map { fact in
            TimelineOutcome(
                callback: fact.what.text(language), thread: "",
                value: ExperimentResult.text(fact.values[column], language))
        }
    }

    /// Splits a recording where an experiment begins with a variant. A variant that was measured more
    /// than once has several parts; an event without an end lasts until the next part.
    static func takes(of recording: Recording) -> [(variant: String, part: Recording)] {
        var takes: [(variant: String, part: Recording)] = []
        // The end of the last part. What ends later is drawn until there.
        var end: UInt64?
        for event in recording.events {
            let text = event.kind == .note ? recording.text(of: event) : ""
            guard text.hasPrefix(Picture.mark) else {
                guard let last = takes.indices.last, end == nil || event.phase == .end else {
                    continue
                }
                var event = event
                event.time = min(event.time, end ?? .max)
                takes[last].part.events.append(event)
                continue
            }
            if end == nil, let last = takes.indices.last, !takes[last].part.events.isEmpty {
                takes[last].part.events.append(
                    Event(time: event.time, thread: event.thread, kind: .note))
            }
            let variant = String(text.dropFirst(Picture.mark.count))
            if variant.isEmpty {
                end = end ?? event.time
                continue
            }
            end = nil
            var part = recording
            part.events = []
            part.startTime = event.time
            takes.append((variant, part))
        }
        return takes.filter { !$0.part.events.isEmpty }
    }
}
