import Foundation

/// The object table of a binary property list, read without making any object.
///
/// Such a list may refer to one container from many places, which costs a byte each, and Foundation
/// makes the container anew for each place: 499 bytes can become more than memory holds. So the
/// values are counted first.
struct BinaryPropertyList {
    /// An object, whose members are numbers in the table.
    enum Element {
        case text(String)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
        /// A reference of an archive.
        case reference(Int)
        /// A number, a date or data.
        case other
    }

    /// How many values, and how many bytes of text and data, may be made beyond the list's own
    /// length in bytes. A list that shares nothing has fewer values than bytes.
    static let mostSharedValues = 1_000_000
    static let mostSharedBytes = 64 << 20

    /// The object that contains all others.
    let root: Int
    private let bytes: [UInt8]
    private let offsets: [Int]
    private let end: Int
    private let referenceSize: Int

    static func isBinary(_ data: Data) -> Bool { data.starts(with: "bplist".utf8) }

    /// Does nothing for other formats, which cannot share values.
    ///
    /// - Throws: `ResponseSerializationError.Limit` for a list that would become too large;
    ///   `CocoaError` for a damaged one.
    static func check(_ data: Data) throws {
        if isBinary(data) { try BinaryPropertyList(data).checkSize() }
    }

    /// - Throws: `CocoaError.propertyListReadCorrupt`, as Foundation's reader does.
    init(_ data: Data) throws {
        bytes = [UInt8](data)
        guard bytes.count >= 40 else { throw Self.damaged }
        let trailer = bytes.count - 32
        let (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
            let count = Self.number(bytes[(trailer + 8)..<(trailer + 16)]),
            let root = Self.number(bytes[(trailer + 16)..<(trailer + 24)]),
            let table = Self.number(bytes[(trailer + 24)..<(trailer + 32)]),
            table >= 9, table < trailer, root < count, count <= (trailer - table) / offsetSize
        else { throw Self.damaged }
        self.root = root
        self.referenceSize = referenceSize
        end = table
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            let start = table + index * offsetSize
            guard let offset = Self.number(bytes[start..<(start + offsetSize)]), offset >= 8,
                offset < table
            else { throw Self.damaged }
            offsets.append(offset)
        }
        self.offsets = offsets
    }

    // MARK: Objects

    func element(_ object: Int) throws -> Element {
        let head = try head(object)
        switch head.kind {
        case 0x5, 0x7: return .text(String(decoding: bytes[head.body], as: UTF8.self))
        case 0x6:
            let units = stride(from: head.body.lowerBound, to: head.body.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return .text(String(decoding: units, as: UTF16.self))
        case 0x8:
            guard let target = Self.number(bytes[head.body]) else { throw Self.damaged }
            return .reference(target)
        case 0xA, 0xB, 0xC:
            return .array(try (0..<head.references).map { try reference($0, in: head) })
        case 0xD:
            let all = try (0..<head.references).map { try reference($0, in: head) }
            return .dictionary(
                keys: Array(all[..<(all.count / 2)]), values: Array(all[(all.count / 2)...]))
        default: return .other
        }
    }

    /// The members of a dictionary whose keys are all texts, duplicates included; nil for any other
    /// object.
    func members(of object: Int) throws -> [(name: String, value: Int)]? {
        guard case .dictionary(let keys, let values) = try element(object) else { return nil }
        var members: [(name: String, value: Int)] = []
        for (key, value) in zip(keys, values) {
            guard case .text(let name) = try element(key) else { return nil }
            members.append((name, value))
        }
        return members
    }

    /// An object's first byte, and where the rest of it is.
    private struct Head {
        var kind: UInt8
        var body: Range<Int>
        /// How many other objects it refers to, one after the other in the body.
        var references = 0
        /// How many bytes of text or data it has.
        var weight = 0
    }

    private func head(_ object: Int) throws -> Head {
        guard offsets.indices.contains(object) else { throw Self.damaged }
        let offset = offsets[object]
        let (kind, low) = (bytes[offset] >> 4, Int(bytes[offset] & 0xF))
        var start = offset + 1
        func body(_ count: Int, each size: Int) throws -> Range<Int> {
            let (length, isTooLong) = count.multipliedReportingOverflow(by: size)
            guard !isTooLong, length <= end - start else { throw Self.damaged }
            return start..<(start + length)
        }
        switch kind {
        case 0x0: return Head(kind: kind, body: start..<start)
        case 0x1, 0x2: return Head(kind: kind, body: try body(1 << low, each: 1))
        case 0x3: return Head(kind: kind, body: try body(8, each: 1))
        case 0x8: return Head(kind: kind, body: try body(low + 1, each: 1))
        case 0x4, 0x5, 0x6, 0x7, 0xA, 0xB, 0xC, 0xD:
            let count = low < 0xF ? low : try longCount(&start)
            guard kind >= 0xA else {
                let body = try body(count, each: kind == 0x6 ? 2 : 1)
                return Head(kind: kind, body: body, weight: body.count)
            }
            let perElement = kind == 0xD ? 2 : 1
            let body = try body(count, each: perElement * referenceSize)
            return Head(kind: kind, body: body, references: count * perElement)
        default: throw Self.damaged
        }
    }

    /// A count of more than four bits is a number behind the first byte.
    private func longCount(_ start: inout Int) throws -> Int {
        guard start < end, bytes[start] >> 4 == 0x1 else { throw Self.damaged }
        let size = 1 << Int(bytes[start] & 0xF)
        start += 1
        guard size <= end - start, let count = Self.number(bytes[start..<(start + size)]) else {
            throw Self.damaged
        }
        start += size
        return count
    }

    private func reference(_ index: Int, in head: Head) throws -> Int {
        let start = head.body.lowerBound + index * referenceSize
        guard let object = Self.number(bytes[start..<(start + referenceSize)]),
            object < offsets.count
        else { throw Self.damaged }
        return object
    }

    /// A big-endian number that is not negative.
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for byte in bytes {
            guard number <= Int.max >> 8 else { return nil }
            number = number << 8 | Int(byte)
        }
        return number
    }

    private static let damaged = CocoaError(.propertyListReadCorrupt)
}

// MARK: - Size

extension BinaryPropertyList {
    private struct Size {
        var values = 1
        var bytes = 0

        /// Saturates at the largest number.
        static func += (size: inout Size, other: Size) {
            size.values = sum(size.values, other.values)
            size.bytes = sum(size.bytes, other.bytes)
        }

        private static func sum(_ first: Int, _ second: Int) -> Int {
            let (sum, isTooLarge) = first.addingReportingOverflow(second)
            return isTooLarge ? .max : sum
        }
    }

    /// Counts the values that would be made: each object once, after the objects it contains.
    ///
    /// - Throws: as `check(_:)`; an object that contains itself is damage.
    func checkSize() throws {
        var sizes = [Size?](repeating: nil, count: offsets.count)
        var isOpen = [Bool](repeating: false, count: offsets.count)
        var open = [(object: root, head: try head(root), next: 0, size: Size())]
        isOpen[root] = true
        while let last = open.indices.last {
            guard open[last].next < open[last].head.references else {
                let done = open.removeLast()
                isOpen[done.object] = false
                var size = done.size
                size += Size(values: 0, bytes: done.head.weight)
                sizes[done.object] = size
                if let holder = open.indices.last { open[holder].size += size }
                continue
            }
            let next = try reference(open[last].next, in: open[last].head)
            open[last].next += 1
            if let size = sizes[next] {
                open[last].size += size
            } else if isOpen[next] {
                throw Self.damaged
            } else {
                isOpen[next] = true
                open.append((next, try head(next), 0, Size()))
            }
        }
        guard let size = sizes[root], size.values <= bytes.count + Self.mostSharedValues,
            size.bytes <= bytes.count + Self.mostSharedBytes
        else { throw ResponseSerializationError.Limit.sharedValues }
    }
}
