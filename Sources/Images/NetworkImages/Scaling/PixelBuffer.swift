import Foundation

/// Rows of 8-bit R G B A in their own memory, without padding.
///
/// The system provides zeroed memory: pages that are never touched cost nothing.
///
/// ## Concurrency
/// Call from: one thread at a time, until `data()`; after that it must not be written. Lock: none.
/// Calls out on: nothing.
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

    var stride: Int { size.width * 4 }

    /// A row, counted from the top.
    func row(_ number: Int) -> UnsafeMutableBufferPointer<UInt8> {
        precondition(number >= 0 && number < size.height)
        return UnsafeMutableBufferPointer(
            rebasing: memory[number * stride..<(number + 1) * stride])
    }

    var all: UnsafeMutableBufferPointer<UInt8> { memory }

    func copy() throws(ImageDecodingError) -> PixelBuffer {
        let copy = try PixelBuffer(size)
        _ = copy.memory.update(fromContentsOf: memory)
        return copy
    }

    /// The pixels as data that retain this buffer; nothing is copied.
    func data() -> Data {
        guard let start = memory.baseAddress else { return Data() }
        return Data(
            bytesNoCopy: start, count: memory.count,
            deallocator: .custom { [self] _, _ in withExtendedLifetime(self) {} })
    }
}

/// Colors multiplied by their alpha, and back.
package enum Premultiplication {
    /// Replaces each color by (color * alpha + 127) / 255.
    package static func apply(to row: UnsafeMutableBufferPointer<UInt8>) {
        var index = 0
        while index + 3 < row.count {
            let alpha = Int(row[index + 3])
            if alpha != 255 {
                for place in index..<index + 3 {
                    row[place] = UInt8((Int(row[place]) * alpha + 127) / 255)
                }
            }
            index += 4
        }
    }

    /// A color before premultiplication; 0 where alpha is 0.
    static func undone(_ color: UInt8, alpha: UInt8) -> UInt8 {
        guard alpha != 0 else { return 0 }
        return UInt8(min(255, (Int(color) * 255 + Int(alpha) / 2) / Int(alpha)))
    }
}
