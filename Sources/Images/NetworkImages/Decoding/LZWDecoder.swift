/// GIF's compression: codes of growing length, each a known sequence of indices and one more index.
struct LZWDecoder {
    private static let mostCodes = 4096
    private static let none = -1

    private let file: ByteView
    /// The offset of the next data byte, and the bytes left in its block.
    private var offset: Int
    private var left = 0

    private let firstLength: Int
    private let clear: Int
    private var length: Int
    private var bits = 0
    private var bitCount = 0

    /// Each code's sequence: another code's sequence and one more index.
    private var prefixes = [Int16](repeating: 0, count: Self.mostCodes)
    private var indices = [UInt8](repeating: 0, count: Self.mostCodes)
    private var codeCount: Int
    private var last = Self.none
    private var lastFirst: UInt8 = 0
    /// A sequence in reverse.
    private var sequence = [UInt8](repeating: 0, count: Self.mostCodes + 1)

    /// - Parameter offset: the offset of the code length.
    init(_ file: ByteView, at offset: Int) throws(ImageDecodingError) {
        let bits = Int(try file.byte(offset))
        guard (1...8).contains(bits) else { throw file.damage("codes of \(bits) bits") }
        self.file = file
        self.offset = offset + 1
        firstLength = bits + 1
        length = firstLength
        clear = 1 << bits
        codeCount = clear + 2
        for index in 0..<clear { indices[index] = UInt8(index) }
    }

    /// Decodes the indices, one sequence at a time, until enough were taken.
    ///
    /// - Parameter take: takes a sequence from the first elements, in reverse; false where no more
    ///   are needed.
    /// - Throws: where the data end before that, or contain an invalid code.
    mutating func decode(_ take: ([UInt8], Int) -> Bool) throws(ImageDecodingError) {
        while true {
            let code = try nextCode()
            if code == clear {
                length = firstLength
                codeCount = clear + 2
                last = Self.none
                continue
            }
            guard code != clear + 1 else { throw file.damage("a frame has too few pixels") }
            let count = try expand(code)
            guard take(sequence, count) else { return }
        }
    }

    /// Writes a code's sequence in reverse and stores a new one; returns the sequence's length.
    private mutating func expand(_ code: Int) throws(ImageDecodingError) -> Int {
        let isNew = code == codeCount && last != Self.none && codeCount < Self.mostCodes
        guard code < clear || (code > clear + 1 && code < codeCount) || isNew else {
            throw file.damage("a code that means nothing")
        }
        var count = 0
        var walk = code
        if isNew {
            // The last sequence, followed by its own first index.
            sequence[0] = lastFirst
            count = 1
            walk = last
        }
        while walk >= clear {
            sequence[count] = indices[walk]
            count += 1
            walk = Int(prefixes[walk])
        }
        sequence[count] = indices[walk]
        count += 1
        lastFirst = indices[walk]
        if last != Self.none, codeCount < Self.mostCodes {
            prefixes[codeCount] = Int16(last)
            indices[codeCount] = lastFirst
            codeCount += 1
            if codeCount == 1 << length, length < 12 { length += 1 }
        }
        last = code
        return count
    }

    private mutating func nextCode() throws(ImageDecodingError) -> Int {
        while bitCount < length {
            if left == 0 {
                left = Int(try file.byte(offset))
                offset += 1
                guard left > 0 else { throw file.damage("a frame's data end early") }
            }
            bits |= Int(try file.byte(offset)) << bitCount
            bitCount += 8
            offset += 1
            left -= 1
        }
        let code = bits & (1 << length - 1)
        bits >>= length
        bitCount -= length
        return code
    }
}
