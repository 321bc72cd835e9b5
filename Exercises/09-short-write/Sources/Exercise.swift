import Lessons

/// Exercise 9. Bytes go to a sink that may take fewer than it is given.
///
/// The file is shorter than what was sent, and no error is thrown. Write all, or throw an error.
struct Exercise: WriteExercise {
    struct NotWritten: Error {}

    init() {}

    func write(_ bytes: [UInt8], to sink: ShortSink) throws {
        _ = sink.write(bytes)
    }
}
