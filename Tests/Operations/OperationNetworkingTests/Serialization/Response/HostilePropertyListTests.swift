import TestSupport

@testable import OperationNetworking

/// Property lists that Foundation's reader takes, and by which it stops the process or works for long.
@Suite("Property lists of a hostile peer", .timeLimit(.minutes(5)))
struct HostilePropertyListTests {
    private func read(
        _ data: Data, _ options: PropertyListSerialization.ReadOptions = []
    ) -> SerializedResponse {
        PropertyListResponseSerializer(format: .binary, readOptions: options)
            .responseObject(for: Responses.http(200, "application/x-plist"), data: data)
    }

    private func isDamage(_ data: Data) -> Bool {
        let result = read(data)
        return result.object == nil
            && result.nsError?.code == CocoaError.propertyListReadCorrupt.rawValue
    }

    private func list(_ element: [UInt8], _ others: [[UInt8]] = [[0x51, 0x62]]) -> Data {
        BinaryList.data([BinaryList.array(of: 1, times: 1), element] + others)
    }

    /// A set of one text, in 46 bytes.
    static let set = Data(
        [UInt8]("bplist00".utf8) + [0xC1, 1, 0x51, 0x62, 8, 10, 0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12])

    @Test
    func `a set is damage for every reader, ordered or not, empty or not, at any depth`() {
        #expect(Self.set.count == 46)
        for data in [
            Self.set, list([0xC1, 0, 2]), list([0xB1, 0, 2]), list([0xC0]), list([0xB0]),
        ] {
            #expect(isDamage(data))
            #expect(throws: ArchiveError.notAnArchive) {
                try CheckedArchive.object(of: SecurityPolicy.self, from: data)
            }
        }
    }

    @Test
    func `a date that is no finite number is damage, and any other is a date`() {
        let numbers = [Double.nan, .signalingNaN, .infinity, -.infinity, 0, -1e300, 1e300, 5]
        for number in numbers {
            let bits = withUnsafeBytes(of: number.bitPattern.bigEndian, Array.init)
            let data = list([0x33] + bits)
            guard number.isFinite else {
                #expect(isDamage(data))
                continue
            }
            let dates = read(data).object as? [Date]
            #expect(dates?.first?.timeIntervalSinceReferenceDate == number)
            #expect(!"\(dates ?? [])".isEmpty)
        }
    }

    @Test
    func `a first byte that no writer writes is damage`() {
        let known: Set<UInt8> = [0x00, 0x08, 0x09, 0x10, 0x11, 0x12, 0x13, 0x14, 0x22, 0x23, 0x33]
        for kind in UInt8.min...UInt8.max {
            let body = [UInt8](repeating: 0, count: 40)
            let result = read(list([kind] + body))
            switch kind >> 4 {
            // With a long count the body has none.
            case 0x4...0x6 where kind & 15 != 15, 0xA where kind & 15 == 0,
                0xD where kind & 15 == 0:
                #expect(result.object != nil, "\(kind)")
            case 0x8 where kind & 15 < 8: #expect(result.object != nil, "\(kind)")
            // The array refers to the first object, which refers to it.
            case 0xA, 0xD: #expect(result.object == nil, "\(kind)")
            default: #expect((result.object != nil) == known.contains(kind), "\(kind)")
            }
        }
    }

    @Test
    func `a key that is no text is damage`() {
        for key in [
            [0x10, 1], [0x09], [0x00], [0x23] + [UInt8](repeating: 0, count: 8), [0xA0], [0x40],
        ]
            as [[UInt8]]
        {
            #expect(isDamage(list([0xD1, 0, 2, 0, 3], [key, [0x51, 0x62]])), "\(key)")
        }
        let twice = list(
            [0xD2, 0, 2, 0, 3, 0, 4, 0, 5], [[0x51, 0x61], [0x51, 0x61], [0x09], [0x08]])
        #expect(read(twice).object as? [[String: Bool]] == [["a": true]])
    }

    @Test
    func `512 containers in one another are read, as by Foundation, 513 are damage`() {
        for depth in [512, 513] {
            let arrays = (1...depth).map { BinaryList.array(of: $0, times: 1) }
            let data = BinaryList.data(arrays + [[0x10, 1]])
            #expect((read(data).object != nil) == (depth == 512))
            let foundation = try? PropertyListSerialization.propertyList(from: data, format: nil)
            #expect((foundation != nil) == (depth == 512))
        }
    }

    @Test
    func `objects that lie in one another's bytes are not read once for each`() {
        // 60,000 objects that are the same array of 60,000 references.
        let count = 60_000
        var list =
            [UInt8]("bplist00".utf8) + [0xAF, 0x12, 0, 0, UInt8(count >> 8), UInt8(count & 255)]
        for number in 0..<count { list += [UInt8((number + 1) >> 8), UInt8((number + 1) & 255)] }
        let table = list.count
        for _ in 0...count { list.append(8) }
        list += [0, 0, 0, 0, 0, 0, 1, 2]
        for number in [count + 1, 0, table] {
            list += withUnsafeBytes(of: UInt64(number).bigEndian, Array.init)
        }
        let data = Data(list)
        expectQuick { #expect(isDamage(data)) }
    }

    @Test
    func `what is written is read as Foundation reads it, down to the types`() throws {
        let values: [String: Any] = [
            "small": 1, "negative": -5, "long": Int64.min, "unsigned": UInt64.max, "byte": 255,
            "short": 65_535, "word": 4_294_967_295, "double": 1.5, "float": Float(2.5),
            "infinite": Double.infinity, "yes": true, "no": false, "text": "abc", "ü": "ü🐎",
            "latin": "é", "empty": "", "data": Data([0, 255]), "none": Data(),
            "date": Date(timeIntervalSinceReferenceDate: -5.25),
            "array": [1, "x", [Any]()] as [Any], "map": ["a": [String: Any]()],
        ]
        let data = try PropertyListSerialization.data(
            fromPropertyList: values, format: .binary, options: 0)
        let seen = try #require(read(data).object as? [String: Any])
        let expected = try #require(
            PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(seen as NSDictionary == expected as NSDictionary)
        for (name, value) in expected where !(value is [AnyHashable: Any]) {
            let other = try #require(seen[name])
            #expect(type(of: other) == type(of: value), "\(name)")
            let types = [other, value].map {
                ($0 as? NSNumber).map { String(cString: $0.objCType) }
            }
            #expect(types[0] == types[1] || ["i", "q"].contains(types[0]), "\(name)")
        }
        let top = try PropertyListSerialization.data(
            fromPropertyList: "text", format: .binary, options: 0)
        #expect(read(top).object as? String == "text")
        let mutable = read(data, .mutableContainers).object as? NSMutableDictionary
        #expect(mutable?.count == values.count)
    }

    @Test
    func `references of an archive are still Foundation's`() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: SecurityPolicy.default(), requiringSecureCoding: true)
        let object = try #require(read(archive).object as? [String: Any])
        #expect(object["$archiver"] as? String == "NSKeyedArchiver")
    }

    // MARK: Keys

    /// Texts of one hash: that of two units is 257 times the first and the second.
    private static func alike(_ bits: Int) -> [String] {
        let pairs = ["\u{141}\u{141}", "\u{140}\u{242}"]
        return (0..<1 << bits).map { number in
            (0..<bits).map { pairs[number >> $0 & 1] }.joined()
        }
    }

    private func expectQuick(_ work: () -> Void) {
        let clock = ContinuousClock()
        #expect(clock.measure(work) < .seconds(3))
    }

    @Test
    func `keys of one hash cost a binary list nothing`() throws {
        let keys = Self.alike(14)
        #expect(Set(keys.map { ($0 as NSString).hash }).count == 1)
        let dictionary = Dictionary(uniqueKeysWithValues: keys.map { ($0, true) })
        // Foundation's writer would take as long as its reader.
        let texts: [[UInt8]] = keys.map { key in
            [0x6F, 0x10, UInt8(key.utf16.count)]
                + key.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        }
        var object: [UInt8] = [0xDF, 0x11, UInt8(keys.count >> 8), UInt8(keys.count & 255)]
        for number in 0..<keys.count {
            object += [UInt8((number + 2) >> 8), UInt8((number + 2) & 255)]
        }
        for _ in keys { object += [0, 1] }
        let data = BinaryList.data([object, [0x09]] + texts)
        expectQuick { #expect(read(data).object as? [String: Bool] == dictionary) }
    }

    @Test
    func `mutable dictionaries refuse keys of one hash, in lists and in JSON`() throws {
        let keys = Self.alike(13)
        let body = "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        let serializer = JSONResponseSerializer(readingOptions: .mutableContainers)
        expectQuick {
            let result = serializer.responseObject(
                for: Responses.http(200, "application/json"), data: Data(body.utf8))
            #expect(
                (result.error as? ResponseSerializationError)?.reason == .exceedsLimit(.keys))
        }
        let plain = JSONResponseSerializer().responseObject(
            for: Responses.http(200, "application/json"), data: Data(body.utf8))
        #expect((plain.object as? [String: Int])?.count == keys.count)
        let many = "{" + (0..<20_000).map { "\"key\($0)\":1" }.joined(separator: ",") + "}"
        let mutable = serializer.responseObject(
            for: Responses.http(200, "application/json"), data: Data(many.utf8))
        #expect((mutable.object as? NSMutableDictionary)?.count == 20_000)
    }
}
