import Foundation

/// A body stream for Foundation. Foundation treats a stream that has no bytes yet as ended, and
/// would send a truncated body.
///
/// This stream reports bytes until a read finds none. So a multipart body is sent without its
/// throttle, and a read of a stream without bytes waits. When the request declares a length, no
/// byte beyond it is read, and an end before it is a failure, because the server would wait for the
/// rest.
///
/// ## Concurrency
/// Call from: one thread at a time, the queue that all sessions share. Lock: none. Calls out on:
/// that thread (the caller's stream, and the `failed` closure).
final class EagerStream: InputStream {
    private let inner: InputStream
    private let length: Int64?
    private let failed: (any Error) -> Void
    private var position: Int64 = 0
    private var isOver = false

    /// - Parameters:
    ///   - length: the request's `Content-Length`, in bytes; nil for an unknown one.
    ///   - failed: called with the error of a read before the read returns.
    init(_ inner: InputStream, length: Int64?, failed: @escaping (any Error) -> Void) {
        self.inner = inner
        self.length = length
        self.failed = failed
        isOver = length == 0
        super.init(data: Data())
    }

    override func open() { inner.open() }

    override func close() { inner.close() }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        let room = min(Int64(len), (length ?? .max) - position)
        guard room > 0 else { return 0 }
        let count = inner.read(buffer, maxLength: Int(room))
        guard count >= 0 else { return fail(streamError ?? Self.exhausted("gives no more bytes.")) }
        position += Int64(count)
        isOver = count == 0 || position == length
        if count == 0, let length {
            return fail(
                Self.exhausted("ended after \(position) of the \(length) bytes declared."))
        }
        return count
    }

    private func fail(_ error: any Error) -> Int {
        isOver = true
        failed(error)
        return -1
    }

    private static func exhausted(_ what: String) -> URLError {
        URLError(
            .requestBodyStreamExhausted,
            userInfo: [NSLocalizedDescriptionKey: "The body stream " + what])
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
