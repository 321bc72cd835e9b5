import Foundation
import HTTPSemantics

/// Decodes the content codings of one body, a piece at a time, and throws where a coded body is not complete.
///
/// libcurl's own decoding is not used: 7.88.1 reports success where a coded stream stops half-way, does not
/// read the second member of a gzip body (RFC 1952 section 2.2), and has no limit. A piece is decoded when
/// it is requested, so that a small body that decodes into a large one fills no memory.
///
/// ## Concurrency
/// Call from: one thread. Lock: none.
final class ContentDecoder {
    /// The value of Accept-Encoding: all codings that can be decoded here.
    static let offer = "gzip, deflate"

    /// In the order of decoding: the last coding of the field comes first.
    private let layers: [Inflation]
    /// Nil for no limit.
    var ratio: Int?
    /// The `work` at which `next` must return.
    private var limitOfWork = 0
    /// Whether `next` returned nil because of its limit, and not for want of bytes.
    private(set) var hasMoreToDo = false
    private var received = 0
    /// Received bytes that are not decoded yet. They must not move while zlib reads them.
    private var input = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    private var waiting = 0

    /// More codings than this are an attack.
    private static let mostCodings = 2
    /// How much one call of `next` may add to `work`.
    static let workAtOnce = 1 << 20

    /// - Parameter ratio: decoded bytes for each byte received, as `LoadLimits.decompressionRatio`. With nil the
    ///   body has no limit, but what one of two codings yields has.
    /// - Returns: nil for a body that is not coded.
    /// - Throws: for a coding that was not offered; see `isAsSent`.
    init?(for head: ResponseHead, ratio: Int?) throws(ResponseFault) {
        let names = Self.codings(of: head)
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

    /// In lower case, in the order in which the server applied them.
    private static func codings(of head: ResponseHead) -> [String] {
        head.values(of: "Content-Encoding").flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            .filter { !["", "identity"].contains($0) }
    }

    /// Whether a body is delivered coded: it has codings that cannot be decoded here, each requested by the caller.
    ///
    /// - Parameter asked: the result of `asked(for:)`.
    static func isAsSent(_ head: ResponseHead, asked: Set<String>) -> Bool {
        let names = codings(of: head)
        guard !asked.isEmpty, names.count <= mostCodings else { return false }
        let unknown = names.filter { !known.contains($0) }
        return !unknown.isEmpty && unknown.allSatisfy { asked.contains($0) || asked.contains("*") }
    }

    private static let known: Set = ["gzip", "x-gzip", "deflate"]

    /// The codings that an Accept-Encoding names, in lower case, without those of weight 0.
    static func asked(for fields: HeaderFields) -> Set<String> {
        Set(
            fields.list(of: "Accept-Encoding").compactMap { member in
                let parts = member.split(separator: ";").map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                let weights = parts.dropFirst().filter { $0.hasPrefix("q=") }
                let isRefused = weights.contains { Double($0.dropFirst(2)) == 0 }
                return isRefused ? nil : parts.first
            })
    }

    deinit {
        input.deallocate()
    }

    /// Adds received bytes. `next` must have returned nil for those before.
    func push(_ bytes: UnsafeRawBufferPointer) {
        if input.count < bytes.count {
            input.deallocate()
            input = .allocate(byteCount: max(bytes.count, 65_536), alignment: 16)
        }
        input.copyMemory(from: bytes)
        waiting = bytes.count
        received += bytes.count
    }

    /// The cost of decoding so far, in bytes, of all layers. Input that yields nothing costs too.
    var work: Int { layers.reduce(0) { $0 + $1.work } }

    /// The next decoded piece, valid until the next call; nil when more must be received first, or when this
    /// `hasMoreToDo` and is to be called again later.
    func next() throws(ResponseFault) -> UnsafeRawBufferPointer? {
        limitOfWork = work + Self.workAtOnce
        hasMoreToDo = false
        return try next(of: layers.count - 1)
    }

    private func mayContinue() -> Bool {
        if work >= limitOfWork { hasMoreToDo = true }
        return !hasMoreToDo
    }

    private func next(of index: Int) throws(ResponseFault) -> UnsafeRawBufferPointer? {
        guard index >= 0 else {
            defer { waiting = 0 }
            return waiting > 0 ? UnsafeRawBufferPointer(rebasing: input[..<waiting]) : nil
        }
        let layer = layers[index]
        let piece = try layer.next(while: mayContinue) { () throws(ResponseFault) in
            try next(of: index - 1)
        }
        let isLast = index == layers.count - 1
        if let ratio = isLast ? ratio : ratio ?? LoadLimits().decompressionRatio,
            layer.total > LoadLimits.ratioIsAskedFrom, layer.total / ratio > received
        {
            throw ResponseFault(.decompressionRatio, ratio)
        }
        return piece
    }

    /// To be called at the end of the body. An empty body is complete whatever its coding.
    func finish() throws(ResponseFault) {
        guard received == 0 || layers.allSatisfy(\.isComplete) else {
            throw ResponseFault("The coded body stops before its end.", .cannotDecodeContentData)
        }
    }
}
