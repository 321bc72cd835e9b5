public import Lessons

/// All lessons: those of the small port, and those that need the eras.
public enum Course {
    /// The eighteen, in their order.
    public static let lessons: [Lesson] = (Lesson.all + eras).sorted { $0.number < $1.number }

    /// The lesson of a number; nil where there is none.
    public static func lesson(_ number: Int) -> Lesson? {
        lessons.first { $0.number == number }
    }

    private static let eras = [
        Lesson(
            9, "bodies", sources: "Sources/Operations/OperationNetworking/Body",
            exercise: "09-short-write"
        ) { try BodyExperiment.run() },
        Lesson(
            11, "trust", sources: "Sources/Transport/HTTPSemantics/Trust", exercise: "11-any-pin"
        ) { try TrustExperiment.run() },
        Lesson(
            12, "why-sessions", sources: "Sources/Teaching/EraLessons",
            exercise: "12-no-dependencies"
        ) { try EraExperiment.run() },
        Lesson(
            14, "delegates", sources: "Sources/LaterEras/SessionTasks/Tasks",
            exercise: "14-one-buffer"
        ) { try DelegateExperiment.run() },
        Lesson(
            15, "late-handlers", sources: "Sources/LaterEras/RequestEra/Requests",
            exercise: "15-late-handler"
        ) { try HandlerExperiment.run() },
        Lesson(
            16, "images", sources: "Sources/Operations/OperationNetworking/Sharing",
            exercise: "16-two-downloads"
        ) { try ImageExperiment.run() },
        Lesson(18, "reading-traces", sources: "Sources/Teaching/EraLessons", exercise: "18-traces")
        {
            try TraceExperiment.run()
        },
    ]
}
