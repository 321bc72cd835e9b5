/// What the connections of one loop share.
///
/// ## Concurrency
/// Used on the loop's thread alone.
final class LoopContext {
    let surroundings: Surroundings
    /// Nil when the server speaks plain HTTP.
    let tls: TLSContext?
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 131_072, alignment: 16)
    var journal: Journal { surroundings.journal }

    init(_ surroundings: Surroundings, tls: TLSContext?) {
        self.surroundings = surroundings
        self.tls = tls
    }

    deinit {
        scratch.deallocate()
    }
}
