import Foundation

/// The object table of a binary property list, checked before its objects are made.
///
/// Such a list may refer to one container many times, at a byte each, and Foundation makes the container again
/// for each reference: 499 bytes can exceed all memory. So the values are counted first.
///
/// Only what Foundation writes is accepted. It reads more, and crashes for some of that, such as a set with an
/// element, or a date that is not finite.
struct BinaryPropertyList {
    /// An object; its members are numbers in the table.
    enum Element {
        case text(String)
        case array([Int])
        case dictionary(keys: [Int], values: [Int])
        /// A reference of an archive.
        case reference(Int)
        /// A null, a number, a date or data.
        case other(Any)
    }

    /// How many values, and how many bytes of text and data, a list may become beyond its own length in bytes. A
    /// list without repeated references has fewer values than bytes.
    static let mostSharedValues = 1_000_000
    static let mostSharedBytes = 64 << 20
    /// How deep containers may be nested, as in Foundation.
    static let deepest = 512
    /// How many members a dictionary of an archive may have: Foundation, which reads archives, compares each key
    /// with all others of the same hash.
    static let mostArchiveMembers = 2_000

    /// The object that contains all others.
    let root: Int
    private let bytes: [UInt8]
    private let offsets: [Int]
    private let end: Int
    private let referenceSize: Int

    static func isBinary(_ data: Data) -> Bool { data.starts(with: "bplist".utf8) }

    /// Does nothing for other formats, which have no references.
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
        case 0x0: return .other(Self.constant(head.low))
        case 0x1: return .other(try Self.integer(bytes[head.body]))
        case 0x2: return .other(Self.real(bytes[head.body]))
        case 0x3: return .other(Date(timeIntervalSinceReferenceDate: Self.double(bytes[head.body])))
        case 0x4: return .other(Data(bytes[head.body]))
        // Foundation reads a byte that is no ASCII as ISO Latin-1.
        case 0x5:
            let text = bytes[head.body]
            return .text(
                text.allSatisfy { $0 < 0x80 }
                    ? String(decoding: text, as: UTF8.self)
                    : String(decoding: text.map(UInt16.init), as: UTF16.self))
        case 0x6:
            let units = stride(from: head.body.lowerBound, to: head.body.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
            return .text(String(decoding: units, as: UTF16.self))
        case 0x8:
            guard let target = Self.number(bytes[head.body]) else { throw Self.damaged }
            return .reference(target)
        case 0xA:
            return .array(try (0..<head.references).map { try reference($0, in: head) })
        default:
            let all = try (0..<head.references).map { try reference($0, in: head) }
            return .dictionary(
                keys: Array(all[..<(all.count / 2)]), values: Array(all[(all.count / 2)...]))
        }
    }

    /// The members of a dictionary with text keys, including duplicates; nil for any other object.
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
        var low: Int
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
        func made(_ body: Range<Int>) -> Head { Head(kind: kind, low: low, body: body) }
        switch (kind, low) {
        case (0x0, 0x0), (0x0, 0x8), (0x0, 0x9): return made(start..<start)
        case (0x1, 0...4), (0x2, 2...3): return made(try body(1 << low, each: 1))
        case (0x3, 0x3):
            let date = made(try body(8, each: 1))
            // Foundation crashes when it describes such a date.
            guard Self.double(bytes[date.body]).isFinite else { throw Self.damaged }
            return date
        case (0x8, 0...7): return made(try body(low + 1, each: 1))
        case (0x4...0x6, _):
            var text = made(
                try body(try count(low, &start), each: kind == 0x6 ? 2 : 1))
            text.weight = text.body.count
            return text
        case (0xA, _), (0xD, _):
            let references = try count(low, &start).multipliedReportingOverflow(
                by: kind == 0xD ? 2 : 1)
            guard !references.overflow else { throw Self.damaged }
            var container = made(try body(references.partialValue, each: referenceSize))
            container.references = references.partialValue
            return container
        default: throw Self.damaged
        }
    }

    /// A count of more than four bits follows the first byte as a number.
    private func count(_ low: Int, _ start: inout Int) throws -> Int {
        low < 0xF ? low : try longCount(&start)
    }

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

// MARK: - Values

extension BinaryPropertyList {
    /// The values, in Foundation's types; nil if there is a reference of an archive, which only Foundation can make.
    ///
    /// Foundation does not read the list, because its dictionaries are slow for many keys of the same hash, which an
    /// attacker can choose. Swift's hashes are different in each process.
    ///
    /// - Throws: as `check(_:)`, which was called before.
    func values() throws -> Any? {
        var made = [Any?](repeating: nil, count: offsets.count)
        return try value(root, &made)
    }

    /// An object with many references is made once.
    private func value(_ object: Int, _ made: inout [Any?]) throws -> Any? {
        if let known = made[object] { return known }
        let value: Any
        switch try element(object) {
        case .text(let text): value = text
        case .other(let other): value = other
        case .reference: return nil
        case .array(let elements):
            var array: [Any] = []
            array.reserveCapacity(elements.count)
            for element in elements {
                guard let element = try self.value(element, &made) else { return nil }
                array.append(element)
            }
            value = array
        case .dictionary(let keys, let values):
            var dictionary = [String: Any](minimumCapacity: keys.count)
            for (key, value) in zip(keys, values) {
                guard let key = try self.value(key, &made) as? String else { throw Self.damaged }
                guard let value = try self.value(value, &made) else { return nil }
                // Foundation keeps the first of two values for one key.
                if dictionary[key] == nil { dictionary[key] = value }
            }
            value = dictionary
        }
        made[object] = value
        return value
    }

    private static func constant(_ low: Int) -> Any {
        low == 0 ? NSNull() : low == 9
    }

    /// A number of 8 bytes is signed; numbers above `Int64.max` have 16 bytes.
    private static func integer(_ bytes: ArraySlice<UInt8>) throws -> NSNumber {
        let low = bits(bytes.suffix(8))
        guard bytes.count == 16 else { return NSNumber(value: Int64(bitPattern: low)) }
        guard bytes.dropLast(8).allSatisfy({ $0 == 0 }) else { throw damaged }
        return NSNumber(value: low)
    }

    private static func real(_ bytes: ArraySlice<UInt8>) -> NSNumber {
        bytes.count == 8
            ? NSNumber(value: double(bytes))
            : NSNumber(value: Float(bitPattern: UInt32(truncatingIfNeeded: bits(bytes))))
    }

    private static func double(_ bytes: ArraySlice<UInt8>) -> Double {
        Double(bitPattern: bits(bytes))
    }

    private static func bits(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

// MARK: - Size

extension BinaryPropertyList {
    private struct Size {
        var values = 1
        var bytes = 0
        /// How deep containers are nested.
        var depth = 0

        /// Saturates at the largest number.
        static func += (size: inout Size, other: Size) {
            size.values = sum(size.values, other.values)
            size.bytes = sum(size.bytes, other.bytes)
            size.depth = max(size.depth, other.depth + 1)
        }

        static func sum(_ first: Int, _ second: Int) -> Int {
            let (sum, isTooLarge) = first.addingReportingOverflow(second)
            return isTooLarge ? .max : sum
        }
    }

    /// Counts the values that would be made: each object once, after the objects it contains.
    ///
    /// - Throws: as `check(_:)`; an object that contains itself is damage, and so is a key that is
    ///   no text.
    func checkSize() throws {
        var sizes = [Size?](repeating: nil, count: offsets.count)
        var isOpen = [Bool](repeating: false, count: offsets.count)
        var open: [(object: Int, head: Head, next: Int, size: Size)] = []
        var (read, mostMembers, hasReferences) = (0, 0, false)
        func begin(_ object: Int) throws {
            let head = try head(object)
            // Objects may overlap; in total no more bytes are read than there are.
            read += 1 + head.body.count
            guard read <= bytes.count else { throw Self.damaged }
            if head.kind == 0x8 { hasReferences = true }
            if head.kind == 0xD { mostMembers = max(mostMembers, head.references / 2) }
            isOpen[object] = true
            open.append((object, head, 0, Size()))
        }
        try begin(root)
        while let last = open.indices.last {
            guard open[last].next < open[last].head.references else {
                let done = open.removeLast()
                isOpen[done.object] = false
                var size = done.size
                size.bytes = Size.sum(size.bytes, done.head.weight)
                guard size.depth <= Self.deepest else { throw Self.damaged }
                sizes[done.object] = size
                if let parent = open.indices.last { open[parent].size += size }
                continue
            }
            let next = try reference(open[last].next, in: open[last].head)
            if open[last].head.kind == 0xD, open[last].next < open[last].head.references / 2 {
                guard try [0x5, 0x6].contains(head(next).kind) else { throw Self.damaged }
            }
            open[last].next += 1
            if let size = sizes[next] {
                open[last].size += size
            } else if isOpen[next] {
                throw Self.damaged
            } else {
                try begin(next)
            }
        }
        guard !hasReferences || mostMembers <= Self.mostArchiveMembers else { throw Self.damaged }
        guard let size = sizes[root], size.values <= bytes.count + Self.mostSharedValues,
            size.bytes <= bytes.count + Self.mostSharedBytes
        else { throw ResponseSerializationError.Limit.sharedValues }
    }
}
