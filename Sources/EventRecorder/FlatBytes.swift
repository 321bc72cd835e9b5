/// Numbers, texts and bytes written one behind the other, to be read in the same order.
///
/// For what is kept while a recording lasts: an object kept among those that come and go with each
/// request leaves a hole in malloc's memory when they go, and ten thousand of them made every
/// allocation of the program slower, by a third of a request's time. For the same reason a writer is
/// used again and again.
package struct FlatBytes: ~Copyable {
    private var start = UnsafeMutableRawPointer.allocate(byteCount: 2048, alignment: 16)
    private var capacity = 2048
    private var count = 0

    package init() {}

    deinit { start.deallocate() }

    package mutating func removeAll() {
        count = 0
    }

    package mutating func append(_ number: Int) {
        withUnsafeBytes(of: number) { append($0) }
    }

    package mutating func append(_ text: String) {
        let utf8 = text.utf8
        append(utf8.count)
        if utf8.withContiguousStorageIfAvailable({ append(UnsafeRawBufferPointer($0)) }) == nil {
            for byte in utf8 { withUnsafeBytes(of: byte) { append($0) } }
        }
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if count + bytes.count > capacity { grow(for: bytes.count) }
        if let source = bytes.baseAddress {
            (start + count).copyMemory(from: source, byteCount: bytes.count)
        }
        count += bytes.count
    }

    @inline(never)
    private mutating func grow(for more: Int) {
        capacity = max(2 * capacity, count + more)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
        larger.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = larger
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }
}

/// Reads what was written; the bytes must outlive it.
package struct FlatBytesReader {
    private var rest: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes
    }

    package mutating func next<Value: BitwiseCopyable>() -> Value {
        next(MemoryLayout<Value>.size).loadUnaligned(as: Value.self)
    }

    /// Values whose bytes were appended as they are, behind their number.
    package mutating func next<Value: BitwiseCopyable>() -> [Value] {
        let count: Int = next()
        let bytes = next(count * MemoryLayout<Value>.stride)
        return [Value](unsafeUninitializedCapacity: count) { values, initialized in
            UnsafeMutableRawBufferPointer(values).copyMemory(from: bytes)
            initialized = count
        }
    }

    package mutating func next() -> String {
        String(decoding: next(next() as Int), as: UTF8.self)
    }

    private mutating func next(_ count: Int) -> UnsafeRawBufferPointer {
        defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
        return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    }
}
