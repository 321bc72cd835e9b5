import EraLessons
import EventRecorder
import Foundation
import Lessons
import TimelinePage

/// Shows a recorded trace of exercise 18, as text and as a page.
struct TraceScreen {
    private let number: Int
    private let language: Language

    init(_ number: Int, language: Language) {
        self.number = number
        self.language = language
    }

    /// - Throws: `ExerciseError` without a checkout; `DiskError`.
    func show(_ options: LessonOptions) throws -> ExitCode {
        let current = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
        guard let folder = ExerciseCheck.folder(from: current) else {
            throw ExerciseError.noCheckout
        }
        let file = folder.appendingPathComponent("18-traces/Traces/\(number).jsonl")
        guard let data = try? Data(contentsOf: file),
            let recording = try? Recording(jsonLines: data)
        else { throw ExerciseError.noTrace(file.path) }
        if options.html != NewFile.standardOutput {
            Console.toOutput(Self.text(recording))
        }
        let page = TimelinePage.html(
            of: recording, title: "Trace \(number)", heading: "eras lesson trace \(number)")
        try LessonPageFile(options).save(page, in: language)
        return .success
    }

    /// The most important events, each with its time, thread and subject.
    static func text(_ recording: Recording) -> String {
        let shown: [Event.Kind: String] = [
            .enqueued: "in the queue", .operation: "operation", .transfer: "on the wire",
            .runLoopSleep: "asleep", .socket: "socket", .queueSubmit: "block for",
            .queueRun: "block of", .callback: "callback", .delegateCall: "delegate call",
        ]
        let rows = recording.events.compactMap { event -> [String]? in
            guard let what = shown[event.kind] else { return nil }
            let phase = event.phase == .begin ? "begin" : event.phase == .end ? "end" : ""
            let time = Double(event.time &- recording.startTime) / 1_000_000
            let thread = recording.threads[event.thread] ?? "\(event.thread)"
            let text = PrintableText.line(recording.text(of: event))
            return [
                String(format: "%.1f", time), Padding.cut(PrintableText.line(thread), 16), phase,
                Padding.cut("\(what) \(text)", 36), "\(event.subject)",
            ]
        }
        return TextTable(
            headings: ["ms", "thread", "", "event", "subject"], rightAligned: [0, 4], rows: rows
        ).text
    }
}
