import Foundation

/// Rows of 8-bit R G B A in memory of their own, without padding.
///
/// The memory is the system's and zero at first: what nobody touches costs nothing.
///
/// ## Concurrency
/// Call from: one thread at a time, until `data()`; then nobody writes any more. Lock: none. Calls
/// out on: nothing.
final class PixelBuffer {
    let size: PixelSize
    private let memory: UnsafeMutableBufferPointer<UInt8>

    init(_ size: PixelSize) throws(ImageDecodingError) {
        let bytes = size.bytes
        guard bytes > 0, bytes < Int.max, let start = calloc(bytes, 1) else {
            throw ImageDecodingError(.outOfMemory(bytes))
        }
        self.size = size
        memory = UnsafeMutableBufferPointer(
            start: start.bindMemory(to: UInt8.self, capacity: bytes), count: bytes)
    }

    deinit {
        free(memory.baseAddress)
    }

    /// Bytes of one row.
    var stride: Int { size.width * 4 }

    /// A row to be read or written, from the top.
    func row(_ number: Int) -> UnsafeMutableBufferPointer<UInt8> {
        precondition(number >= 0 && number < size.height)
        return UnsafeMutableBufferPointer(
            rebasing: memory[number * stride..<(number + 1) * stride])
    }

    /// All rows.
    var all: UnsafeMutableBufferPointer<UInt8> { memory }

    /// The same pixels once more.
    func copy() throws(ImageDecodingError) -> PixelBuffer {
        let copy = try PixelBuffer(size)
        _ = copy.memory.update(fromContentsOf: memory)
        return copy
    }

    /// The pixels as data that keep this buffer; nothing is copied.
    func data() -> Data {
        guard let start = memory.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: start, count: memory.count,
            deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} })
    }
}
