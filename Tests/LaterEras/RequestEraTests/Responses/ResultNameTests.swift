import RequestEra
import TestSupport

/// In files that import the module, `Result` is Alamofire 4's, with one parameter.
@Suite("The name Result", .timeLimit(.minutes(1)))
struct ResultNameTests {
    @Test
    func `Result has one parameter here, and Swift's is Swift.Result`() {
        let own: Result<Int> = .success(1)
        let swift: Swift.Result<Int, any Error> = .success(1)
        #expect(own.value == 1)
        #expect((try? swift.get()) == 1)
    }

    @Test
    func `results, responses and timelines of Sendable values are Sendable`() {
        func takes(_: some Sendable) {}
        takes(Result.success(1))
        takes(Timeline())
        takes(
            DataResponse(request: nil, response: nil, data: nil, result: Result.success("a")))
        takes(DefaultDataResponse(request: nil, response: nil, data: nil, error: nil))
    }

    @Test
    func `the calls of a result can be chained`() {
        var (text, isSuccess) = ("first", false)
        let end = Result.success("first").map { _ in "second" }.flatMap { _ in "third" }
            .withValue { if $0 == "third" { text = "fourth" } }
            .ifSuccess { isSuccess = true }
        #expect(end.value == "third" && text == "fourth" && isSuccess)
    }
}
