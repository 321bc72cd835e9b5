/// What the connections of one loop share.
///
/// ## Concurrency
/// Used on the loop's thread alone.
final class LoopContext {
    let state: ServerState
    /// Nil when the server speaks plain HTTP.
    let tls: TLSContext?
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 131_072, alignment: 16)
    var journal: Journal { state.journal }

    init(_ state: ServerState, tls: TLSContext?) {
        self.state = state
        self.tls = tls
    }

    deinit {
        scratch.deallocate()
    }
}
