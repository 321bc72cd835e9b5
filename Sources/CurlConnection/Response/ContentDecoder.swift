import Foundation
import HTTPSemantics

/// Undoes the content codings of one body, a piece at a time, and says when a coded body is not
/// whole.
///
/// It is here because libcurl 7.88.1 ends with success when a coded stream stops half-way, takes
/// no second member of a gzip body (RFC 1952 section 2.2), and knows no limit. A piece is decoded
/// when it is asked for, so that a small answer that unpacks into a large one fills no memory.
///
/// ## Concurrency
/// Call from: one thread. Lock: none.
final class ContentDecoder {
    /// What requests offer: all that can be undone here.
    static let offer = "gzip, deflate"

    /// In the order they are undone: the last coding of the field comes first.
    private let layers: [Inflation]
    private let ratio: Int?
    private var received = 0
    /// What was received and not decoded yet; its bytes do not move while they are in use.
    private var input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var waiting = 0

    /// More codings than this are an attack.
    private static let mostCodings = 5

    /// - Parameter ratio: decoded bytes for each byte received, as `LoadLimits.decompressionRatio`.
    /// - Returns: nil for a body that is not coded.
    /// - Throws: for a coding that was not offered.
    init?(for head: ResponseHead, ratio: Int?) throws(ResponseFault) {
        let names = head.values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            .filter { !["", "identity"].contains($0) }
        guard !names.isEmpty else { return nil }
        guard names.count <= Self.mostCodings else {
            throw ResponseFault("The body is coded \(names.count) times.", .cannotDecodeContentData)
        }
        var layers: [Inflation] = []
        for name in names.reversed() {
            switch name {
            case "gzip", "x-gzip": layers.append(Inflation(isGzip: true))
            case "deflate": layers.append(Inflation(isGzip: false))
            default:
                throw ResponseFault(
                    "The body's coding was not offered: \(name.prefix(40))",
                    .cannotDecodeContentData)
            }
        }
        self.layers = layers
        self.ratio = ratio.map { max($0, 1) }
    }

    deinit {
        input.deallocate()
    }

    /// Takes bytes as they were received, once `next` has given out all of those before.
    func push(_ bytes: UnsafeRawBufferPointer) {
        if input.count < bytes.count {
            input.deallocate()
            input = .allocate(byteCount: max(bytes.count, 65_536), alignment: 16)
        }
        input.copyMemory(from: bytes)
        waiting = bytes.count
        received += bytes.count
    }

    /// The next decoded piece, valid until the next call; nil when more must be received first.
    func next() throws(ResponseFault) -> UnsafeRawBufferPointer? {
        try next(of: layers.count - 1)
    }

    private func next(of index: Int) throws(ResponseFault) -> UnsafeRawBufferPointer? {
        guard index >= 0 else {
            defer { waiting = 0 }
            return waiting > 0 ? UnsafeRawBufferPointer(rebasing: input[..<waiting]) : nil
        }
        let layer = layers[index]
        let piece = try layer.next { () throws(ResponseFault) in try next(of: index - 1) }
        if let ratio, layer.total > LoadLimits.ratioIsAskedFrom, layer.total / ratio > received {
            throw ResponseFault(.decompressionRatio, ratio)
        }
        return piece
    }

    /// To be called when the body is complete. A body of no bytes is whole whatever its coding.
    func finish() throws(ResponseFault) {
        guard received == 0 || layers.allSatisfy(\.isComplete) else {
            throw ResponseFault("The coded body stops before its end.", .cannotDecodeContentData)
        }
    }
}
