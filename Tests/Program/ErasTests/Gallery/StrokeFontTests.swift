import TestSupport

@testable import eras

@Suite("Letters as lines", .timeLimit(.minutes(1)))
struct StrokeFontTests {
    private let font = StrokeFont(unit: 1.3)

    @Test func `every printable letter of ASCII is there, and each looks different`() {
        var seen: [[UInt8]: Character] = [:]
        for code in UInt8(33)...126 {
            let letter = Character(Unicode.Scalar(code))
            #expect(Glyphs.all[letter] != nil, "\(letter)")
            let mask = font.mask(letter)
            #expect(mask.coverage.contains { $0 > 200 }, "\(letter)")
            let other = seen.updateValue(letter, forKey: [UInt8(mask.width)] + mask.coverage)
            #expect(other == nil, "\(letter) looks as \(other ?? " ")")
        }
    }

    @Test func `strokes are pairs of digits on the grid`() {
        for (letter, text) in Glyphs.all {
            for stroke in text.split(separator: " ") {
                #expect(stroke.count % 2 == 0 && stroke.allSatisfy(\.isNumber), "\(letter)")
                let columns = stroke.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
                #expect(columns.allSatisfy { ("0"..."6").contains($0) }, "\(letter)")
            }
        }
    }

    @Test func `an accent is left out, another letter is a box, and a blank is nothing`() {
        #expect(font.mask("é").coverage == font.mask("e").coverage)
        #expect(font.mask("字").coverage == font.mask("ß").coverage)
        #expect(font.mask(" ").coverage.allSatisfy { $0 == 0 })
        #expect(font.advance(" ") > 0)
    }

    @Test func `what is too wide is cut, with an ellipsis`() {
        #expect(font.cut("short", to: 100) == "short")
        let cut = font.cut("quite-a-long-name.jpg", to: 60)
        #expect(cut.hasSuffix("…") && cut.hasPrefix("quite") && font.width(cut) <= 60)
        #expect(font.cutInside("short", to: 100) == "short")
        let inside = font.cutInside("quite-a-long-name.jpg", to: 80)
        #expect(inside.hasPrefix("quit") && inside.hasSuffix(".jpg") && font.width(inside) <= 80)
    }
}
