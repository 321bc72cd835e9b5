import Foundation

/// Takes everything and keeps nothing.
final class CountingStream: OutputStream {
    private var status = Stream.Status.notOpen

    required init(toMemory: ()) {
        super.init(toMemory: ())
    }

    override var streamStatus: Stream.Status { status }
    override var hasSpaceAvailable: Bool { status == .open }

    override func open() { status = .open }
    override func close() { status = .closed }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength length: Int) -> Int { length }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
}
