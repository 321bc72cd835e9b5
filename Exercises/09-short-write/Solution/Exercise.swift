import Lessons

/// Exercise 9, solved: what counts is what was taken, not what was given.
struct Exercise: WriteExercise {
    struct NotWritten: Error {}

    init() {}

    func write(_ bytes: [UInt8], to sink: ShortSink) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = sink.write(rest)
            guard count > 0 else { throw NotWritten() }
            rest = rest.dropFirst(count)
        }
    }
}
