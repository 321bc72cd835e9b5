import Foundation

/// A body stream for Foundation, which takes one that has no bytes yet for one that has ended and
/// sends a cut body.
///
/// This one has bytes until a read says otherwise. So a multipart body is sent as fast as it can,
/// without its throttle; a read of a stream that is dry waits.
///
/// ## Concurrency
/// Call from: one thread at a time, the queue that all sessions share. Lock: none. Calls out on:
/// that thread (the caller's stream).
final class EagerStream: InputStream {
    private let inner: InputStream
    private var isOver = false

    init(_ inner: InputStream) {
        self.inner = inner
        super.init(data: Data())
    }

    override func open() { inner.open() }

    override func close() { inner.close() }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        let count = inner.read(buffer, maxLength: len)
        isOver = count <= 0
        return count
    }

    override var hasBytesAvailable: Bool { !isOver }

    override var streamStatus: Stream.Status { inner.streamStatus }

    override var streamError: (any Error)? {
        // Foundation's own streams stop the process when they are asked and have none (LX-26).
        inner.streamStatus == .error ? inner.streamError : nil
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
        false
    }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
}
