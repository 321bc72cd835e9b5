import TestSupport

/// What `Documentation/Migration/ObjectiveC.md` shows after its source in Objective-C.
@Suite("The pair from Objective-C", .timeLimit(.minutes(2)))
struct ObjectiveCPairTests {
    @MainActor
    private final class Reader: ArticleStoreDelegate {
        let ends = Log<String>()

        func articleStore(_ store: ArticleStore, didLoad titles: [String]) {
            ends.add(titles.joined(separator: ","))
        }

        func articleStore(_ store: ArticleStore, didFailWith error: any Error) {
            ends.add("\((error as? URLError)?.code.rawValue ?? 0)")
        }
    }

    @Test @MainActor
    func `the delegate gets titles, and the error of what is cancelled by its key`() async throws {
        let world = TestWorld(programs: .served)
        world.server.add("/articles") { request in
            let section = request.query["section"] ?? ""
            let answer = ScriptedResponse.json("[{\"title\":\"one\"},{\"title\":\"\(section)\"}]")
            return section == "sky" ? answer.after(.wait(gate: "late")) : answer
        }
        world.server.hold("late")
        let store = ArticleStore(baseURL: world.baseURL)
        let reader = Reader()
        store.delegate = reader
        _ = try store.load(section: "sea")
        #expect(await reader.ends.reaches(1))
        #expect(reader.ends.all == ["one,sea"])
        let key = try store.load(section: "sky")
        #expect(await world.server.reaches("late"))
        store.cancel(key)
        #expect(await reader.ends.reaches(2))
        #expect(reader.ends.all.last == "-999")
        world.server.release("late")
        #expect(ArticleStore.shared === ArticleStore.shared)
    }
}
