import TestSupport

@testable import RequestEra

/// Bodies by which Foundation's readers stop the process, or work for long.
@Suite("Bodies of a hostile peer", .timeLimit(.minutes(1)))
struct HostileBodyTests {
    private func list(_ bytes: [UInt8]) -> Result<Any> {
        DataRequest.propertyListResponseSerializer()
            .serializeResponse(nil, nil, Data(bytes), nil)
    }

    /// A list of one object at its top, and a text behind it.
    private func bytes(_ object: [UInt8]) -> [UInt8] {
        let text = 8 + object.count
        return [UInt8]("bplist00".utf8) + object + [0x51, 0x62, 8, UInt8(text)]
            + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0]
            + [0, 0, 0, 0, 0, 0, 0, UInt8(text + 2)]
    }

    @Test
    func `a set and a date that is no number are errors`() {
        for object in [[0xC1, 1], [0xB1, 1], [0x33, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]] as [[UInt8]] {
            let error = list(bytes(object)).error as? AFError
            #expect(error?.isResponseSerializationError == true)
        }
        #expect(list(bytes([0xA1, 1])).value as? [String] == ["b"])
    }

    @Test
    func `a list whose arrays stand in many places is an error`() {
        var list = [UInt8]("bplist00".utf8)
        var table: [UInt8] = []
        for number in 1...9 {
            table.append(UInt8(list.count))
            list += [0xAE] + [UInt8](repeating: UInt8(number), count: 14)
        }
        table.append(UInt8(list.count))
        list += [0x08]
        let end = UInt8(list.count)
        list += table + [0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 10]
        list += [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, end]
        #expect(self.list(list).error != nil)
    }

    @Test
    func `mutable JSON refuses keys of one hash, and is mutable otherwise`() {
        let pairs = ["\u{141}\u{141}", "\u{140}\u{242}"]
        let keys = (0..<1 << 12).map { number in
            (0..<12).map { pairs[number >> $0 & 1] }.joined()
        }
        let serializer = DataRequest.jsonResponseSerializer(options: .mutableContainers)
        let body = "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
        #expect(serializer.serializeResponse(nil, nil, Data(body.utf8), nil).error is AFError)
        let small = serializer.serializeResponse(nil, nil, Data("{\"a\":[1]}".utf8), nil)
        #expect((small.value as? NSMutableDictionary)?["a"] as? [Int] == [1])
        let array = serializer.serializeResponse(nil, nil, Data("[1]".utf8), nil)
        #expect((array.value as? NSMutableArray)?.count == 1)
    }
}
