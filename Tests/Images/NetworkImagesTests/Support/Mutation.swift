import TestSupport

/// A file that was changed at random; the same number gives the same changes.
struct Mutation {
    private var numbers: SeededNumbers
    private(set) var file: [UInt8]

    init(_ number: Int, of seeds: [Data]) {
        numbers = SeededNumbers(seed: UInt64(number))
        file = Array(seeds[Int.random(in: 0..<seeds.count, using: &numbers)])
        for _ in 0..<Int.random(in: 1...4, using: &numbers) { change() }
        // Without this nothing but the first checksum of a PNG would be tried.
        if Int.random(in: 0..<4, using: &numbers) > 0 { file = Checksums.repaired(file) }
    }

    /// Whether the picture is to be made smaller, and how much.
    mutating func targetSide() -> Int? {
        Int.random(in: 0..<4, using: &numbers) == 0 ? Int.random(in: 1...64, using: &numbers) : nil
    }

    private static let remarkable: [UInt32] = [
        0, 1, 2, 4, 7, 8, 127, 128, 255, 256, 4095, 4096, 32767, 32768, 65535, 65536, 0x7FFF_FFFF,
        0x8000_0000, 0xFFFF_FFFF, 0xFFFF_FFF0,
    ]

    private mutating func change() {
        guard !file.isEmpty else { return file.append(0x42) }
        let place = self.place()
        switch Int.random(in: 0..<14, using: &numbers) {
        case 0, 1, 8, 9: file[place] ^= 1 << UInt8.random(in: 0..<8, using: &numbers)
        case 2: file[place] = UInt8.random(in: 0...255, using: &numbers)
        case 3, 4, 10, 11: overwrite(place)
        case 5: file.removeSubrange(place..<min(file.count, place + length()))
        case 6: file.insert(contentsOf: file[place..<min(file.count, place + length())], at: place)
        case 7:
            let from = self.place()
            for offset in 0..<length() where max(from, place) + offset < file.count {
                file[place + offset] = file[from + offset]
            }
        case 12: file.removeSubrange(place...)
        default: file[place] &+= 1
        }
    }

    /// More often near the beginning, where the headers are.
    private mutating func place() -> Int {
        let end = Bool.random(using: &numbers) ? min(64, file.count) : file.count
        return Int.random(in: 0..<end, using: &numbers)
    }

    private mutating func length() -> Int { Int.random(in: 1...40, using: &numbers) }

    /// One, two or four bytes become a number at which something changes.
    private mutating func overwrite(_ place: Int) {
        let value = Self.remarkable.randomElement(using: &numbers) ?? 0
        let width = [1, 2, 4].randomElement(using: &numbers) ?? 1
        let isBig = Bool.random(using: &numbers)
        for offset in 0..<width where place + offset < file.count {
            let byte = isBig ? width - 1 - offset : offset
            file[place + offset] = UInt8(truncatingIfNeeded: value >> (UInt32(byte) * 8))
        }
    }
}

/// The checksums of a PNG's chunks.
enum Checksums {
    private static let table: [UInt32] = (0..<256).map { number in
        (0..<8).reduce(UInt32(number)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 255)] ^ ($0 >> 8) }
    }

    /// Each chunk's checksum as it should be; anything else is left as it is.
    static func repaired(_ file: [UInt8]) -> [UInt8] {
        guard file.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { return file }
        var file = file
        var place = 8
        while place + 12 <= file.count {
            let length = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard place + 12 + length <= file.count else { break }
            let sum = of(file[place + 4..<place + 8 + length])
            for byte in 0..<4 {
                file[place + 8 + length + byte] = UInt8(truncatingIfNeeded: sum >> (24 - byte * 8))
            }
            place += 12 + length
        }
        return file
    }
}
