import CurlConnection
import Foundation

/// The output stream of a transfer: it passes bytes to a `PartBuffer` and opens no file.
///
/// ## Concurrency
/// Call from: the network thread. Lock: none; the buffer has its own. Calls out: none.
final class PartOutput: OutputStream, ReadyStream, RoomReporting {
    private let buffer: PartBuffer?
    private var status = Stream.Status.notOpen

    init(_ buffer: PartBuffer) {
        self.buffer = buffer
        super.init(toMemory: ())
    }

    /// Foundation requires it of a subclass; such a stream takes no bytes.
    required init(toMemory: ()) {
        buffer = nil
        super.init(toMemory: ())
    }

    override var streamStatus: Stream.Status { buffer?.failure == nil ? status : .error }
    override var streamError: (any Error)? { buffer?.failure }
    override var hasSpaceAvailable: Bool { buffer?.hasRoom == true }

    func whenRoom(_ block: @escaping @Sendable () -> Void) {
        buffer?.whenRoom(block)
    }

    override func open() {
        status = .open
    }

    override func close() {
        status = .closed
    }

    /// No memory stream: its bytes are not the operation's.
    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override func write(_ bytes: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        buffer?.take(UnsafeBufferPointer(start: bytes, count: length)) ?? -1
    }
}
