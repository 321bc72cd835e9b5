import EraLessons
import EventRecorder
import Foundation
import Lessons

/// The child process of an experiment: it runs the experiment, prints the result, and waits until its
/// parent kills it.
///
/// A mistaken variant may have left a thread that never ends. And as long as the child exists its
/// process identifier is not reused, so the parent can kill it.
struct ExperimentChild: Sendable {
    let lesson: Lesson
    /// The path for the recording; nil without one.
    let recording: String?

    /// Does not return: the main thread runs its run loop, as in an application.
    func begin() {
        Thread {
            // The end of the input is the end of the parent.
            while readLine() != nil {}
            ExitCode.failed.leave()
        }.start()
        Thread { Console.toOutput(message.line) }.start()
        RunLoop.main.run()
    }

    private var message: ExperimentMessage {
        do {
            if recording != nil {
                // The thread's name in a timeline.
                EventRecorder.nameThread("caller")
                try EventRecorder.start()
            }
            let result = try lesson.run()
            // Ends the last variant's part of the recording.
            Picture.begin("")
            if let recording {
                let events = EventRecorder.stop()
                try NewFile(recording).save((result.recording ?? events).jsonLines())
            }
            return ExperimentMessage(result: result)
        } catch {
            return ExperimentMessage(error: ErrorSentence.text(for: error))
        }
    }
}
