import TestSupport

@testable import HTTPSemantics

@Suite("Values that were used latest", .timeLimit(.minutes(1)))
struct RecentValuesTests {
    @Test
    func `at least as many as the limit are kept, and at most twice as many`() {
        var values = RecentValues<Int, Int>(limit: 10)
        for key in 0..<1_000 {
            values.set(key * 2, for: key)
            #expect(values.count <= 20)
            for latest in max(0, key - 9)...key { #expect(values.value(of: latest) == latest * 2) }
        }
        #expect(values.value(of: 0) == nil)
    }

    @Test
    func `one that is asked for again and again stays, and one that was removed is gone`() {
        var values = RecentValues<Int, String>(limit: 4)
        values.set("kept", for: -1)
        for key in 0..<100 {
            values.set("other", for: key)
            #expect(values.value(of: -1) == "kept")
        }
        values.remove(-1)
        #expect(values.value(of: -1) == nil)
    }
}
