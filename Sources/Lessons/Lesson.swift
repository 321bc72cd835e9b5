/// One lesson: a question, an experiment that answers it, and an exercise.
///
/// Its text is in `Documentation/Lessons`; `LessonText` reads it.
public struct Lesson: Sendable, Identifiable {
    /// Its number, as in the list of eighteen.
    public let number: Int
    /// The name of its files, behind the number, such as `recursive-lock`.
    public let name: String
    /// The state of the small port that it is about: a folder of `Lessons/SmallPort`.
    public let state: String
    /// The folder of its exercise in `Exercises`; nil where it has none.
    public let exercise: String?
    private let experiment: @Sendable () throws -> ExperimentResult

    /// Its number.
    public var id: Int { number }

    /// Number and name, as the file is called: `07-recursive-lock`.
    public var fileName: String { (number < 10 ? "0" : "") + "\(number)-\(name)" }

    /// The program of `Exercises` that judges its exercise, such as `check-07`; nil where it has none.
    public var check: String? { exercise.map { "check-" + $0.prefix(2) } }

    /// Runs the experiment on a server of its own, which takes a few seconds.
    ///
    /// A mistaken variant may leave a thread that never ends; so run it in a process that does.
    ///
    /// - Throws: `LoopbackServerError` where the server cannot start.
    public func run() throws -> ExperimentResult {
        try experiment()
    }

    init(
        _ number: Int, _ name: String, state: String, exercise: String?,
        _ experiment: @escaping @Sendable () throws -> ExperimentResult
    ) {
        self.number = number
        self.name = name
        self.state = state
        self.exercise = exercise
        self.experiment = experiment
    }

    /// All lessons that there are, in their order.
    public static let all = [
        Lesson(1, "blocked-thread", state: "1-Thread", exercise: nil) {
            try ThreadExperiments.inTurn()
        },
        Lesson(2, "threads", state: "1-Thread", exercise: nil) { try ThreadExperiments.threads() },
        Lesson(3, "run-loop", state: "2-Loop", exercise: "03-no-port") { try LoopExperiment.run() },
        Lesson(4, "hand-over", state: "3-HandOver", exercise: "04-no-wake-up") {
            HandOverExperiments.wakeUp()
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
        Lesson(17, "then-and-now", state: "8-Completion", exercise: nil) {
            try TaskExperiment.run()
        },
    ]

    /// The lesson of a number; nil where there is none.
    public static func number(_ number: Int) -> Lesson? {
        all.first { $0.number == number }
    }
}
