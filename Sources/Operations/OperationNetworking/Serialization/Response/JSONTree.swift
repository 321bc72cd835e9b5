import CSimdJSON
import Foundation

/// Makes Foundation's objects from simdjson's result for a document.
///
/// simdjson's tape has a word for each value, bracket and brace, and a second one with the value of each number.
/// `position` is the matching index in simdjson's list of the document's brackets, commas, colons and values.
struct JSONTree {
    /// The outermost value, or nil if it is neither an array nor an object.
    static func object(_ document: csimdjson_document) throws -> Any? {
        var tree = JSONTree(document)
        let root = document.tape[tree.word] >> 56
        guard root == UInt64(Kind.array) || root == UInt64(Kind.object) else { return nil }
        return try tree.value()
    }

    /// The first byte of a word on the tape.
    private enum Kind {
        static let array = UInt8(ascii: "[")
        static let object = UInt8(ascii: "{")
        static let text = UInt8(ascii: "\"")
        static let signed = UInt8(ascii: "l")
        static let unsigned = UInt8(ascii: "u")
        static let double = UInt8(ascii: "d")
        static let yes = UInt8(ascii: "t")
        static let no = UInt8(ascii: "f")
    }

    private let document: csimdjson_document
    private let null = NSNull()
    private let yes = NSNumber(value: true)
    private let no = NSNumber(value: false)
    private var shapes = JSONShapes()
    /// The keys of the latest object; a property, so that its memory is reused.
    private var latestKeys: [JSONShapes.Key] = []
    /// The index of the next word; the first word of the tape has its end.
    private var word = 1
    private var position = 0

    private init(_ document: csimdjson_document) {
        self.document = document
    }

    private mutating func value() throws -> Any {
        let head = document.tape[word]
        let payload = Self.payload(head)
        word += 1
        position += 1
        switch UInt8(truncatingIfNeeded: head >> 56) {
        case Kind.text: return text(payload)
        case Kind.object: return try dictionary(payload)
        case Kind.array: return try array(payload)
        case Kind.signed:
            let number = Int64(bitPattern: nextWord())
            // Foundation counts the sign as a digit, and reads no integer of 20 digits below zero.
            return number <= -1_000_000_000_000_000_000
                ? try longNumber() : Self.integer(number)
        case Kind.unsigned: return NSNumber(value: nextWord())
        case Kind.double:
            let number = Double(bitPattern: nextWord())
            return digits().count <= 17 ? NSNumber(value: number) : try longNumber()
        case Kind.yes: return yes
        case Kind.no: return no
        default: return null
        }
    }

    // MARK: Containers

    // After each element, and after each member's value, there is a comma or the end.

    private mutating func array(_ payload: Int) throws -> [Any] {
        var elements: [Any] = []
        elements.reserveCapacity(Self.count(payload))
        let end = Self.lastWord(payload)
        if word == end { position += 1 }
        while word < end {
            elements.append(try value())
            position += 1
        }
        word += 1
        return elements
    }

    private mutating func dictionary(_ payload: Int) throws -> [String: Any] {
        let end = Self.lastWord(payload)
        if word == end { position += 1 }
        findKeys(count: Self.count(payload), until: end)
        let (shape, isKnown) = shapes.find(latestKeys)
        if let shape { return try members(of: shape) }
        let keys = latestKeys
        var members = [String: Any](minimumCapacity: Self.count(payload))
        while word < end {
            let key = text(Self.payload(nextWord()))
            position += 2
            members[key] = try value()
            position += 1
        }
        word += 1
        if isKnown { shapes.store(members, keys) }
        return members
    }

    private mutating func members(of shape: JSONShapes.Shape) throws -> [String: Any] {
        var members = shape.pattern
        for index in shape.indices {
            word += 1
            position += 2
            members.values[index] = try value()
            position += 1
        }
        word += 1
        return members
    }

    /// Finds the keys of the object that begins here; none if there are very many.
    private mutating func findKeys(count: Int, until end: Int) {
        latestKeys.removeAll(keepingCapacity: true)
        guard count <= JSONShapes.mostMembers else { return }
        var word = self.word
        while word < end {
            latestKeys.append(bytes(Self.payload(document.tape[word])))
            word = wordBehindValue(at: word + 1)
        }
    }

    private func wordBehindValue(at word: Int) -> Int {
        let head = document.tape[word]
        switch UInt8(truncatingIfNeeded: head >> 56) {
        case Kind.object, Kind.array: return Self.lastWord(Self.payload(head)) + 1
        case Kind.signed, Kind.unsigned, Kind.double: return word + 2
        default: return word + 1
        }
    }

    private static func payload(_ word: UInt64) -> Int { Int(word & 0x00FF_FFFF_FFFF_FFFF) }

    /// How many elements a container has, or a lower bound if there are very many.
    private static func count(_ payload: Int) -> Int { payload >> 32 }

    /// The index of the word for the closing bracket.
    private static func lastWord(_ payload: Int) -> Int { (payload & 0xFFFF_FFFF) - 1 }

    // MARK: Values

    /// Shared, since most numbers in documents are small.
    private static let smallIntegers = (0..<256).map {
        NSNumber(value: Int64($0))
    }

    private static func integer(_ number: Int64) -> NSNumber {
        0 <= number && number < 256 ? smallIntegers[Int(number)] : NSNumber(value: number)
    }

    private mutating func nextWord() -> UInt64 {
        defer { word += 1 }
        return document.tape[word]
    }

    private func text(_ offset: Int) -> String {
        String(decoding: bytes(offset), as: UTF8.self)
    }

    private func bytes(_ offset: Int) -> UnsafeBufferPointer<UInt8> {
        let start = document.texts + offset
        let count = Int(UnsafeRawPointer(start).loadUnaligned(as: UInt32.self))
        return UnsafeBufferPointer(start: start + 4, count: count)
    }

    /// The digits of the last number in the document.
    private func digits() -> UnsafeBufferPointer<UInt8> {
        let start = Int(document.positions[position - 1])
        var end = Int(document.positions[position])
        while document.source[end - 1] <= UInt8(ascii: " ") { end -= 1 }
        return UnsafeBufferPointer(start: document.source + start, count: end - start)
    }

    /// The last number, if it has more than 17 characters.
    ///
    /// Foundation reads it as a decimal number if it has no exponent. A decimal number made from its parts has the
    /// same bytes, except for zero, and takes a tenth of the time. Foundation reads all others.
    private func longNumber() throws -> NSNumber {
        let digits = self.digits()
        var significand: UInt64 = 0
        var exponent = 0
        var hasPoint = false
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9") where significand < 1_000_000_000_000_000_000:
                significand = significand * 10 + UInt64(digit - UInt8(ascii: "0"))
                if hasPoint { exponent -= 1 }
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "-"): continue
            default: return try readByFoundation(digits)
            }
        }
        guard significand > 0, exponent >= -100 else { return try readByFoundation(digits) }
        return NSDecimalNumber(
            decimal: Decimal(
                sign: digits.first == UInt8(ascii: "-") ? .minus : .plus, exponent: exponent,
                significand: Decimal(significand)))
    }

    private func readByFoundation(_ digits: UnsafeBufferPointer<UInt8>) throws -> NSNumber {
        let value = try JSONSerialization.jsonObject(
            with: Data(digits), options: .fragmentsAllowed)
        guard let number = value as? NSNumber else { throw CocoaError(.propertyListReadCorrupt) }
        return number
    }
}

/// The keys of the latest object of each size. The next object with the same keys in the same order, as in most
/// lists, is made without hashing: it is a copy of a dictionary whose values are replaced.
///
/// ## Concurrency
/// Call from: the thread that reads the document. Lock: none.
struct JSONShapes {
    /// The bytes of a key, in simdjson's buffer.
    typealias Key = UnsafeBufferPointer<UInt8>

    /// A dictionary to copy, and the index of each member in it.
    struct Shape {
        let pattern: [String: Any]
        let indices: [Dictionary<String, Any>.Index]
    }

    private struct Entry {
        var keys: [Key] = []
        var shape: Shape?
    }

    /// The most members of an object that is compared.
    static let mostMembers = 32
    private var entries = [Entry](repeating: Entry(), count: mostMembers + 1)

    /// The shape of objects with these keys, if there is one.
    ///
    /// - Returns: the shape, and whether the last object with as many keys had the same.
    mutating func find(_ keys: [Key]) -> (shape: Shape?, isKnown: Bool) {
        guard keys.count <= Self.mostMembers, !keys.isEmpty else { return (nil, false) }
        if isLatest(keys) { return (entries[keys.count].shape, true) }
        entries[keys.count] = Entry(keys: keys)
        return (nil, false)
    }

    private func isLatest(_ keys: [Key]) -> Bool {
        keys.elementsEqual(entries[keys.count].keys, by: { $0.elementsEqual($1) })
    }

    /// Stores the shape of the second object with the same keys. It has none if two keys are equal, or if an object in
    /// it has as many other keys.
    mutating func store(_ members: [String: Any], _ keys: [Key]) {
        guard members.count == keys.count, isLatest(keys) else { return }
        // A number is the cheapest value to copy.
        let pattern = members.mapValues { _ in 0 as Any }
        let indices = keys.compactMap { pattern.index(forKey: String(decoding: $0, as: UTF8.self)) }
        guard indices.count == keys.count else { return }
        entries[keys.count].shape = Shape(pattern: pattern, indices: indices)
    }
}
