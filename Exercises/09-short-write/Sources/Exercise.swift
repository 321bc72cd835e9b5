import Lessons

/// Exercise 9. Bytes go to a place that may take less than it is given.
///
/// The file is shorter than what was sent, and no error says so. Write all, or say that it failed.
struct Exercise: WriteExercise {
    struct NotWritten: Error {}

    init() {}

    func write(_ bytes: [UInt8], to sink: ShortSink) throws {
        _ = sink.write(bytes)
    }
}
