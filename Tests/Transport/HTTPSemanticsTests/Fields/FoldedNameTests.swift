import TestSupport

@testable import HTTPSemantics

@Suite("Names of fields by their bytes", .timeLimit(.minutes(1)))
struct FoldedNameTests {
    @Test
    func `two are one exactly where their letters differ in case alone, and then hash alike`() {
        for one in UInt8(0)...127 {
            for other in UInt8(0)...127 {
                let names = [one, other].map { FoldedName(["x", $0, "long-enough"].text) }
                let isSame = Character(one).lowercased() == Character(other).lowercased()
                #expect((names[0] == names[1]) == isSame, "\(one) and \(other)")
                if isSame { #expect(names[0].hashValue == names[1].hashValue) }
            }
        }
    }

    @Test
    func `lines of several names are removed, and the others keep their order`() {
        var fields = HeaderFields([
            ("A", "1"), ("Set-Cookie", "2"), ("b", "3"), ("SET-COOKIE", "4"), ("Abc", "5"),
        ])
        fields.remove(["set-cookie"], ["x"], and: ["a"])
        #expect(fields.map(\.value) == ["3", "5"])
        #expect(fields.names == ["B", "ABC"])
        fields.remove(["nothing"], and: ["none"])
        #expect(fields.count == 2)
    }
}

extension Character {
    fileprivate init(_ byte: UInt8) { self.init(Unicode.Scalar(byte)) }
}

extension [Any] {
    /// The parts joined; a byte is a character.
    fileprivate var text: String {
        map { ($0 as? UInt8).map { String(Character($0)) } ?? "\($0)" }.joined()
    }
}
