import Foundation

/// The output stream of an operation: it passes bytes to a `PartFile` and opens no file itself.
///
/// ## Concurrency
/// Call from: the network thread. Lock: none. Calls out: none.
final class PartStream: OutputStream {
    private let part: PartFile?
    private var status = Stream.Status.notOpen
    private var failure: (any Error)?

    init(_ part: PartFile) {
        self.part = part
        super.init(toMemory: ())
    }

    /// Foundation requires it of a subclass; such a stream takes no bytes.
    required init(toMemory: ()) {
        part = nil
        super.init(toMemory: ())
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { failure }
    override var hasSpaceAvailable: Bool { status == .open }

    override func open() {
        status = .open
    }

    override func close() {
        status = .closed
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int {
        guard let part else { return 0 }
        do {
            try part.append(UnsafeRawBufferPointer(start: buffer, count: length))
            return length
        } catch {
            failure = error
            status = .error
            return -1
        }
    }
}
