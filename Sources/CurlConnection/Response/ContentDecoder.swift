import Foundation
import HTTPSemantics

/// Decodes the content codings of one body, a piece at a time, and tells where a coded body is not
/// complete.
///
/// libcurl's own decoding is not used: libcurl 7.88.1 reports success where a coded stream stops
/// half-way, does not read the second member of a gzip body (RFC 1952 section 2.2), and has no limit. A
/// piece is decoded when it is asked for, so that a small body that decodes into a large one fills no
/// memory.
///
/// ## Concurrency
/// Call from: one thread. Lock: none.
final class ContentDecoder {
    /// The value of Accept-Encoding: all codings that can be decoded here.
    static let offer = "gzip, deflate"

    /// In the order of decoding: the last coding of the field comes first.
    private let layers: [Inflation]
    private let ratio: Int?
    private var received = 0
    /// Received bytes that are not decoded yet; they do not move while they are in use.
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

    /// Takes received bytes. `next` must have returned nil for those before.
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

    /// To be called at the end of the body. A body of no bytes is complete whatever its coding.
    func finish() throws(ResponseFault) {
        guard received == 0 || layers.allSatisfy(\.isComplete) else {
            throw ResponseFault("The coded body stops before its end.", .cannotDecodeContentData)
        }
    }
}
