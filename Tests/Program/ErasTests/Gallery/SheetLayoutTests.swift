import NetworkImages
import TestSupport

@testable import eras

@Suite("The layout of a sheet", .timeLimit(.minutes(1)))
struct SheetLayoutTests {
    @Test(arguments: [1, 2, 3, 7, 14, 100, 500])
    func `squares lie on the sheet, none on another, in rows`(count: Int) {
        let layout = SheetLayout(count: count, side: 96)
        let squares = (0..<count).map(layout.square)
        for (index, square) in squares.enumerated() {
            #expect(square.x >= SheetLayout.margin && square.y >= SheetLayout.margin)
            #expect(square.x + square.width <= layout.size.width - SheetLayout.margin)
            let bottom = square.y + square.height + SheetLayout.caption
            #expect(bottom <= layout.size.height - SheetLayout.margin)
            if index > 0 {
                let before = squares[index - 1]
                #expect(
                    square.x >= before.x + before.width
                        || square.y >= before.y + before.height + SheetLayout.caption)
            }
        }
    }

    @Test func `it is about as wide as it is high, unless columns are given`() {
        let size = SheetLayout(count: 100, side: 192).size
        #expect(Double(size.width) / Double(size.height) > 0.8)
        #expect(Double(size.width) / Double(size.height) < 1.25)
        #expect(SheetLayout(count: 100, side: 192, columns: 7).columns == 7)
        #expect(SheetLayout(count: 16, side: 192).columns == 4)
        #expect(SheetLayout(count: 0, side: 192).columns == 1)
        #expect(SheetLayout(count: 3, side: 192, columns: 7).columns == 3)
    }

    @Test func `a sheet that would be too large is not drawn`() {
        #expect(SheetLayout(count: 500, side: 192).isDrawable)
        #expect(!SheetLayout(count: 5_000, side: 192).isDrawable)
        #expect(!SheetLayout(count: 400, side: 96, columns: 1).isDrawable)
    }
}
