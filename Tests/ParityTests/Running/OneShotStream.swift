import Foundation

/// A stream of bytes that cannot be rewound, like the original's multipart stream.
///
/// One thread reads it, the network thread.
final class OneShotStream: InputStream {
    private let bytes: Data
    private var position = 0
    private var status = Stream.Status.notOpen

    init(_ data: Data) {
        bytes = data
        super.init(data: data)
    }

    override func open() { status = .open }

    override func close() { status = .closed }

    override var streamStatus: Stream.Status { status }

    override var streamError: (any Error)? { nil }

    override var hasBytesAvailable: Bool { status == .open }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        let count = min(len, bytes.count - position)
        bytes.copyBytes(to: buffer, from: position..<position + count)
        position += count
        if position == bytes.count { status = .atEnd }
        return count
    }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
        false
    }
}
