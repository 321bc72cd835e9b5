/// What the connections of one loop share.
///
/// ## Concurrency
/// Used on the loop's thread alone.
final class LoopContext {
    let surroundings: Surroundings
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 131_072, alignment: 16)
    var journal: Journal { surroundings.journal }

    init(_ surroundings: Surroundings) {
        self.surroundings = surroundings
    }

    deinit {
        scratch.deallocate()
    }
}
