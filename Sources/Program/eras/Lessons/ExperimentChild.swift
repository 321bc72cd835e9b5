import EraLessons
import EventRecorder
import Foundation
import Lessons

/// The child process: it runs one experiment, says what came of it, and waits to be ended.
///
/// A mistaken variant may have left a thread that never ends. And while the child is there its number is
/// nobody else's, so the parent can end it by that.
struct ExperimentChild: Sendable {
    let lesson: Lesson
    /// Where the recording goes; nil where none is made.
    let recording: String?

    /// Does not return: the main thread runs its run loop, as in an application.
    func begin() {
        Thread {
            // The parent has this end of the pipe; it ends with him.
            while readLine() != nil {}
            ExitCode.failed.leave()
        }.start()
        Thread { Console.toOutput(message.line) }.start()
        RunLoop.main.run()
    }

    private var message: ExperimentMessage {
        do {
            if recording != nil {
                // As a picture calls whoever begins the requests.
                Thread.current.name = "caller"
                try EventRecorder.start()
            }
            let result = try lesson.run()
            // What the last variant has left unfinished lasts until here.
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
