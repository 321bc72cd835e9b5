import ProcessUse
import TestSupport

@testable import NetworkImages

@Suite("Pictures that others drew and broke", .timeLimit(.minutes(10)), .serialized)
struct PictureTests {
    private static let kinds = [
        "png", "jpeg", "gif", "bmp", "ico", "tiff", "webp", "cur", "psd", "pnm", "unknown",
    ]

    @Test(arguments: kinds)
    func `each decodes as two other decoders did, or is refused`(_ kind: String) throws {
        let collection = try PictureCollection.largest.get()
        var counts: [PictureCase.Expectation: Int] = [:]
        for picture in collection.cases where picture.kind == kind {
            let judge = PictureJudge(
                picture: picture, file: try collection.data(of: picture), decoder: ImageDecoder())
            for fault in judge.faults() { Issue.record("\(fault)") }
            counts[picture.expect, default: 0] += 1
        }
        print("pictures \(kind) \(counts.map { "\($0.key) \($0.value)" }.sorted())")
    }

    @Test
    func `every case of the collection is of a kind that is tested`() throws {
        let collection = try PictureCollection.largest.get()
        #expect(Set(collection.cases.map(\.kind)).isSubset(of: Self.kinds))
        #expect(collection.cases.count > 300)
    }

    @Test(.enabled(if: PeakMemory.isMeaningful))
    func `what declares more than the limits costs nothing`() throws {
        let collection = try PictureCollection.largest.get()
        for picture in collection.cases where picture.expect == .limit {
            let file = try collection.data(of: picture)
            let before = try PeakMemory.reset()
            #expect(throws: (any Error).self) { try ImageDecoder().image(from: file) }
            let grown = try PeakMemory.now() - before
            #expect(grown < 4 << 20, "\(picture.id) took \(grown) bytes")
        }
    }
}
