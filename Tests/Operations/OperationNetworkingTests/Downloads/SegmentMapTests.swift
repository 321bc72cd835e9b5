import TestSupport

@testable import OperationNetworking

@Suite("The segments of a file")
struct SegmentMapTests {
    /// The bounds and the position of each.
    private func shown(_ map: SegmentMap) -> [[Int64]] {
        map.segments.map { [$0.start, $0.position, $0.end ?? -1] }
    }

    private func shared(_ length: Int64, among count: Int, minimum: Int64 = 10) -> SegmentMap {
        var map = SegmentMap(length: length)
        _ = map.takeFirst()
        for free in (1..<count).reversed() { _ = map.takeNext(free: free, minimum: minimum) }
        return map
    }

    @Test func `a file is shared out in equal pieces that cover it`() {
        for count in 1...16 {
            let map = shared(1_000, among: count)
            #expect(map.segments.count == count)
            #expect(map.first.start == 0 && map.segments.last?.end == 1_000)
            for (one, next) in zip(map.segments, map.segments.dropFirst()) {
                #expect(one.end == next.start)
            }
            let rests = map.segments.compactMap(\.missing)
            #expect((rests.max() ?? 0) - (rests.min() ?? 0) <= Int64(count))
        }
    }

    @Test func `no piece is shorter than the least, and none of unknown length is shared`() {
        #expect(shared(39, among: 8).segments.count == 3)
        #expect(shared(19, among: 8).segments.count == 1)
        #expect(shared(0, among: 8).segments.count == 1)
        var map = SegmentMap(length: nil)
        _ = map.takeFirst()
        let next = map.takeNext(free: 4, minimum: 1)
        #expect(next == nil)
        #expect(shared(.max, among: 16).segments.count == 16)
    }

    @Test func `what was left comes first, then half of what misses most`() {
        var map = shared(1_000, among: 2)
        map.add(500, to: 1)
        map.release(1)
        let half = map.takeNext(free: 1, minimum: 10)
        #expect(half?.start == 250 && half?.end == 500)
        map.release(0)
        #expect(map.takeNext(free: 1, minimum: 10)?.id == 0)
    }

    @Test func `an empty neighbour is taken over, one with bytes is not`() {
        var map = shared(1_000, among: 3)
        map.add(333, to: 0)
        map.takeOver(behind: 0)
        #expect(shown(map) == [[0, 333, 666], [666, 666, 1_000]])
        map.add(1, to: map.segments[1].id)
        map.takeOver(behind: 0)
        #expect(map.segments.count == 2 && map.stored == 334)
    }

    @Test func `ranges that are there leave the gaps between`() {
        var map = SegmentMap(
            stored: 100, ranges: [200..<300, 300..<350, 900..<1_000], length: 1_000)
        #expect(
            shown(map) == [
                [0, 100, 200], [200, 300, 300], [300, 350, 900], [900, 1_000, 1_000],
            ])
        #expect(map.stored == 350 && !map.isComplete)
        #expect(map.takeFirst().position == 100)
        #expect(map.takeNext(free: 1, minimum: 1)?.position == 350)
        map.add(100, to: 0)
        map.joinFirst()
        map.joinFirst()
        #expect(shown(map) == [[0, 350, 900], [900, 1_000, 1_000]])
        #expect(map.first.isTaken)
    }

    @Test func `of a file that is whole the last segment is asked for`() {
        var map = SegmentMap(stored: 100, ranges: [100..<200], length: 200)
        #expect(map.isComplete && map.takeFirst().position == 200)
    }
}
