import Lessons

/// Exercise 18, solved.
enum Exercise: TraceExercise {
    static let answers: [Int: TraceFault] = [
        1: .newConnections, 2: .mainIsKept, 3: .neverStarted, 4: .networkThreadIsKept,
        5: .oneAtATime,
    ]
}
