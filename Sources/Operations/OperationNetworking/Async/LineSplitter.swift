package import Foundation

/// Cuts bytes into lines, which end with LF, CR or both in this order, wherever the pieces are cut.
///
/// A line is given as soon as its end is known: one that ends with CR before the LF that may follow.
package struct LineSplitter: Sendable {
    private let limit: Int
    private var piece: [UInt8] = []
    private var position = 0
    /// The start of a line whose end has not come.
    private var begun: [UInt8] = []
    private var wasReturn = false

    /// - Parameter limit: the most bytes of a line.
    package init(limit: Int) {
        self.limit = limit
    }

    /// Takes a piece; the one before was given whole.
    package mutating func feed(_ data: Data) {
        piece = [UInt8](data)
        position = 0
    }

    /// The next line without its end; nil where its end is not in the piece.
    package mutating func next() throws(BodyReadingError) -> [UInt8]? {
        if wasReturn, position < piece.count {
            wasReturn = false
            if piece[position] == Self.lineFeed { position += 1 }
        }
        let rest = piece[position...]
        let end = rest.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn }
        guard begun.count + (end ?? rest.endIndex) - position <= limit else {
            throw .tooLong(limit: limit)
        }
        begun.append(contentsOf: rest[..<(end ?? rest.endIndex)])
        guard let end else {
            position = piece.count
            return nil
        }
        wasReturn = piece[end] == Self.carriageReturn
        position = end + 1
        defer { begun = [] }
        return begun
    }

    /// The last line, where the bytes end without its end.
    package mutating func last() -> [UInt8]? {
        defer { begun = [] }
        return begun.isEmpty ? nil : begun
    }

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
