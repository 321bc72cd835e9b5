import Lessons

/// Exercise 18. Five recorded traces: `eras lesson trace 1` shows the first.
///
/// Each has one fault, and each fault is in one of them. Name them: `.networkThreadIsKept`,
/// `.mainIsKept`, `.oneAtATime`, `.neverStarted`, `.newConnections`.
enum Exercise: TraceExercise {
    static let answers: [Int: TraceFault] = [:]
}
