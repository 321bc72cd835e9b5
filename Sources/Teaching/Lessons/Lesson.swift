/// One lesson: a question, an experiment that answers it, and an exercise.
///
/// `LessonText` has its text, which is in `Documentation/Lessons`, and compiled into the program.
public struct Lesson: Sendable, Identifiable {
    /// Its number, as in the list of eighteen.
    public let number: Int
    /// The name of its files without the number, such as `recursive-lock`.
    public let name: String
    /// The folder of the sources that it is about, relative to the checkout.
    public let sources: String
    /// The folder of its exercise in `Exercises`.
    public let exercise: String
    private let experiment: @Sendable () throws -> ExperimentResult

    /// Its number.
    public var id: Int { number }

    /// The file's name: `07-recursive-lock`.
    public var fileName: String { (number < 10 ? "0" : "") + "\(number)-\(name)" }

    /// The program of `Exercises` that judges its exercise, such as `check-07`.
    public var check: String { "check-" + exercise.prefix(2) }

    /// Runs the experiment on a server of its own, which takes a few seconds.
    ///
    /// A mistaken variant may leave a thread that never ends, so run it in a process of its own.
    ///
    /// - Throws: `LoopbackServerError` where the server cannot start, and other errors of the
    ///   experiment's preparation.
    public func run() throws -> ExperimentResult {
        try experiment()
    }

    /// - Parameter sources: a folder, relative to the checkout.
    package init(
        _ number: Int, _ name: String, sources: String, exercise: String,
        _ experiment: @escaping @Sendable () throws -> ExperimentResult
    ) {
        self.number = number
        self.name = name
        self.sources = sources
        self.exercise = exercise
        self.experiment = experiment
    }

    /// A lesson about a step of the small port.
    private init(
        _ number: Int, _ name: String, state: String, exercise: String,
        _ experiment: @escaping @Sendable () throws -> ExperimentResult
    ) {
        self.init(
            number, name, sources: "Lessons/SmallPort/\(state)", exercise: exercise, experiment)
    }

    /// The lessons about the small port, in order; the others use the eras.
    public static let all = [
        Lesson(1, "blocked-thread", state: "1-Thread", exercise: "01-in-turn") {
            try ThreadExperiments.inTurn()
        },
        Lesson(2, "threads", state: "1-Thread", exercise: "02-thread-each") {
            try ThreadExperiments.threads()
        },
        Lesson(3, "run-loop", state: "2-Loop", exercise: "03-no-port") { try LoopExperiment.run() },
        Lesson(4, "perform", state: "3-HandOver", exercise: "04-no-wake-up") {
            try HandOverExperiments.wakeUp()
        },
        Lesson(5, "modes", state: "3-HandOver", exercise: "05-default-mode") {
            HandOverExperiments.modes()
        },
        Lesson(6, "states", state: "5-States", exercise: "06-no-announcement") {
            try StateExperiment.run()
        },
        Lesson(7, "recursive-lock", state: "6-Lock", exercise: "07-plain-lock") {
            try LockExperiment.run()
        },
        Lesson(8, "cancel", state: "7-Cancel", exercise: "08-cancel-here") {
            try CancelExperiment.run()
        },
        Lesson(10, "completion", state: "8-Completion", exercise: "10-completion-here") {
            try CompletionExperiments.queues()
        },
        Lesson(13, "width-one", state: "8-Completion", exercise: "13-width-8") {
            try CompletionExperiments.width()
        },
        Lesson(17, "then-and-now", state: "8-Completion", exercise: "17-blocking-task") {
            try TaskExperiment.run()
        },
    ]

    /// A lesson about the small port, by its number; nil where there is none.
    public static func number(_ number: Int) -> Lesson? {
        all.first { $0.number == number }
    }
}
