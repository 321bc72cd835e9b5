import SessionTasks
import TestSupport

@testable import RequestEra

/// `ResponseTests` of 4.9.1, each under the original's name without `test` or `testThat`.
@Suite("ResponseTests", .timeLimit(.minutes(2)))
struct OriginalResponseTests {
    /// An address that nobody answers at.
    private let nowhere = "http://127.0.0.1:9/"

    @Test func `ResponseReturnsSuccessResultWithValidData`() async throws {
        let world = TestWorld.requests()
        let response = await world.get("/get").ended()
        #expect(response.request != nil && response.response != nil)
        #expect(response.data?.isEmpty == false && response.error == nil)
        #expect(response.metrics != nil && response.timeline.totalDuration > 0)
    }

    @Test func `ResponseReturnsFailureResultWithOptionalDataAndError`() async {
        let response = await SessionManager.default.request(nowhere).ended()
        #expect(response.request != nil && response.response == nil)
        #expect(response.data == Data() && response.error is URLError)
        #expect(response.metrics != nil)
    }

    @Test func `ResponseDataReturnsSuccessResultWithValidData`() async throws {
        let world = TestWorld.requests()
        let response = await world.get("/get").data()
        #expect(response.result.isSuccess && response.data == response.value)
        #expect(response.request != nil && response.metrics != nil)
    }

    @Test func `ResponseDataReturnsFailureResultWithOptionalDataAndError`() async {
        let response = await SessionManager.default.request(nowhere).data()
        #expect(response.result.isFailure && response.response == nil && response.data == Data())
        #expect(response.request != nil && response.metrics != nil)
    }

    @Test func `ResponseStringReturnsSuccessResultWithValidString`() async throws {
        let world = TestWorld.requests()
        let response = await world.get("/get").string()
        #expect(response.value?.contains("\"url\"") == true && response.error == nil)
        #expect(response.request != nil && response.data != nil && response.metrics != nil)
    }

    @Test func `ResponseStringReturnsFailureResultWithOptionalDataAndError`() async {
        let response = await SessionManager.default.request(nowhere).string()
        #expect(response.result.isFailure && response.error is URLError)
        #expect(response.response == nil && response.data == Data() && response.metrics != nil)
    }

    @Test func `ResponseJSONReturnsSuccessResultWithValidJSON`() async throws {
        let world = TestWorld.requests()
        let response = await world.get("/get").json()
        #expect(response.value is [String: Any] && response.error == nil)
        #expect(response.request != nil && response.data != nil && response.metrics != nil)
    }

    @Test func `ResponseJSONReturnsSuccessResultForGETRequest`() async throws {
        let world = TestWorld.requests()
        let request = world.manager.request(world.address("/get"), parameters: ["foo": "bar"])
        #expect(await request.object()["args"] as? [String: String] == ["foo": "bar"])
    }

    @Test func `ResponseJSONReturnsSuccessResultForPOSTRequest`() async throws {
        let world = TestWorld.requests()
        let request = world.manager.request(
            world.address("/post"), method: .post, parameters: ["foo": "bar"])
        #expect(await request.object()["form"] as? [String: String] == ["foo": "bar"])
    }

    @Test func `MapErrorPreservesSuccessValue`() async throws {
        let world = TestWorld.requests()
        let mapped = await world.get("/get").json().mapError { _ in PlainError(tag: "x") }
        #expect(mapped.value != nil && mapped.error == nil)
        #expect(mapped.request != nil && mapped.response != nil)
        #expect(mapped.data != nil && mapped.metrics != nil)
    }
}

/// Its class for JSON has a test of a name that the one for text has too.
@Suite("ResponseTests, JSON", .timeLimit(.minutes(2)))
struct OriginalJSONResponseTests {
    @Test func `ResponseStringReturnsFailureResultWithOptionalDataAndError`() async {
        let response = await SessionManager.default.request("http://127.0.0.1:9/").json()
        #expect(response.result.isFailure && response.error is URLError)
        #expect(response.response == nil && response.data == Data() && response.metrics != nil)
    }
}
