import TestSupport

@Suite("The list of Alamofire 4.9.1's tests", .timeLimit(.minutes(1)))
struct OriginalFileTests {
    @Test func `each test of a file is here, or is listed with its reason`() throws {
        for file in OriginalFile.all {
            #expect(try file.countHere() + file.absences.count == file.count, "\(file.name)")
        }
    }

    @Test func `what the list says of a function is about one that is here`() throws {
        for file in OriginalFile.all {
            let names = try file.functions()
            let listed = Set(file.tables.keys).union(file.substitutes.keys).union(
                file.failures.keys)
            #expect(listed.subtracting(names) == [] || listed.subtracting(names) == [""])
            #expect(Set(file.absences.map(\.name)).isDisjoint(with: names), "\(file.name)")
        }
    }

    @Test func `Documentation/RequestTests.md shows the list`() throws {
        let place = packageFolder.appendingPathComponent("Documentation/RequestTests.md")
        let page = try OriginalFile.page()
        if ProcessInfo.processInfo.environment["UPDATE_REQUEST_TESTS"] != nil {
            try page.write(to: place, atomically: true, encoding: .utf8)
        }
        #expect(
            try String(contentsOf: place, encoding: .utf8) == page,
            "Run: UPDATE_REQUEST_TESTS=1 swift test --filter OriginalFileTests")
    }
}
