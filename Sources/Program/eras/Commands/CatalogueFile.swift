import Foundation
import HTTPSemantics
import LoopbackServer
import Synchronization

/// A file of `eras run`. Its bytes follow from seed and length, so its hash needs no server.
struct CatalogueFile: Sendable {
    enum Delivery: Sendable {
        case atOnce
        /// At most this many bytes a second.
        case paced(Double)
        /// Chunks of unknown total length, with pauses in seconds between them.
        case chunked(size: Int64, pause: Double)
        /// The server closes the first connection in the middle of the body.
        case brokenOnce
    }

    let name: String
    let length: Int64
    let delivery: Delivery
    var seed: UInt64 { UInt64(length) }

    static let all = [
        CatalogueFile(name: "film.mp4", length: 32 << 20, delivery: .paced(6_291_456)),
        CatalogueFile(name: "readme.txt", length: 1_311, delivery: .atOnce),
        CatalogueFile(name: "album.zip", length: 12 << 20, delivery: .paced(4_194_304)),
        CatalogueFile(
            name: "log.ndjson", length: 96_000, delivery: .chunked(size: 4_000, pause: 0.08)),
        CatalogueFile(name: "icon.png", length: 24_117, delivery: .atOnce),
        CatalogueFile(name: "archive.tar", length: 24 << 20, delivery: .atOnce),
        CatalogueFile(name: "unsteady.bin", length: 6 << 20, delivery: .brokenOnce),
        CatalogueFile(name: "song.flac", length: 5_242_881, delivery: .paced(2_097_152)),
        CatalogueFile(name: "empty.dat", length: 0, delivery: .atOnce),
        CatalogueFile(name: "map.svg", length: 700_001, delivery: .paced(400_000)),
        CatalogueFile(
            name: "stream.bin", length: 1 << 20, delivery: .chunked(size: 65_536, pause: 0.1)),
        CatalogueFile(name: "voice.ogg", length: 1_500_000, delivery: .paced(1_000_000)),
    ]

    var path: String { "/catalogue/\(name)" }

    /// The SHA-256 of the file's bytes.
    func expectedHash() throws -> String {
        let hash = try SHA256()
        var offset: Int64 = 0
        while offset < length {
            let end = min(offset + 262_144, length)
            GeneratedBytes.bytes(seed: seed, range: offset..<end).withUnsafeBytes {
                hash.update($0)
            }
            offset = end
        }
        return try hash.digest()
    }

    func add(to server: LoopbackServer) {
        let isFirst = Atomic<Bool>(true)
        server.add(path) { request in
            response(to: request, isFirst: isFirst.exchange(false, ordering: .relaxed))
        }
    }

    private func response(to request: RecordedRequest, isFirst: Bool) -> ScriptedResponse {
        let whole = ScriptedResponse.generatedFile(seed: seed, length: length, request: request)
        switch delivery {
        case .atOnce: return whole
        case .paced(let rate): return whole.paced(bytesPerSecond: rate)
        case .brokenOnce: return isFirst ? whole.broken() : whole
        case .chunked(let size, let pause):
            let pieces = stride(from: 0, to: length, by: Int(size)).map {
                GeneratedBytes.bytes(seed: seed, range: $0..<min($0 + size, length))
            }
            return .chunked(pieces, delay: pause)
        }
    }
}

extension ScriptedResponse {
    /// Returns a response with the same bytes, sent at a limited rate.
    fileprivate func paced(bytesPerSecond rate: Double) -> ScriptedResponse {
        ScriptedResponse(
            steps.map { step in
                guard case .generated(let seed, let range) = step else { return step }
                return .paced(seed: seed, range: range, bytesPerSecond: rate)
            })
    }

    /// The first half of the body; then the server closes the connection.
    fileprivate func broken() -> ScriptedResponse {
        var kept: [Step] = []
        for step in steps {
            guard case .generated(let seed, let range) = step else {
                kept.append(step)
                continue
            }
            let middle = (range.lowerBound + range.upperBound) / 2
            kept += [.generated(seed: seed, range: range.lowerBound..<middle), .close]
        }
        return ScriptedResponse(kept)
    }
}
