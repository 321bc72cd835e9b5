import RequestEra
import TestSupport

/// `ResultTests` of 4.9.1.
@Suite("ResultTests", .timeLimit(.minutes(1)))
struct OriginalResultTests {
    private struct Failure: Error, Equatable {
        var number = 1
    }

    private let success = Result<String>.success("success")
    private let failure = Result<String>.failure(Failure())

    // MARK: Properties

    @Test func `IsSuccessPropertyReturnsTrueForSuccessCase`() { #expect(success.isSuccess) }

    @Test func `IsSuccessPropertyReturnsFalseForFailureCase`() { #expect(!failure.isSuccess) }

    @Test func `IsFailurePropertyReturnsFalseForSuccessCase`() { #expect(!success.isFailure) }

    @Test func `IsFailurePropertyReturnsTrueForFailureCase`() { #expect(failure.isFailure) }

    @Test func `ValuePropertyReturnsValueForSuccessCase`() { #expect(success.value == "success") }

    @Test func `ValuePropertyReturnsNilForFailureCase`() { #expect(failure.value == nil) }

    @Test func `ErrorPropertyReturnsNilForSuccessCase`() { #expect(success.error == nil) }

    @Test func `ErrorPropertyReturnsErrorForFailureCase`() {
        #expect(failure.error as? Failure == Failure())
    }

    // MARK: Texts

    @Test func `DescriptionStringMatchesExpectedValueForSuccessCase`() {
        #expect(success.description == "SUCCESS")
    }

    @Test func `DescriptionStringMatchesExpectedValueForFailureCase`() {
        #expect(failure.description == "FAILURE")
    }

    @Test func `DebugDescriptionStringMatchesExpectedValueForSuccessCase`() {
        #expect(success.debugDescription == "SUCCESS: success")
    }

    @Test func `DebugDescriptionStringMatchesExpectedValueForFailureCase`() {
        #expect(failure.debugDescription == "FAILURE: \(Failure())")
    }

    // MARK: Initializer, unwrap

    @Test func `InitializerFromThrowingClosureStoresResultAsASuccess`() {
        #expect(Result { "value" }.value == "value")
    }

    @Test func `InitializerFromThrowingClosureCatchesErrorAsAFailure`() {
        #expect(Result<String> { throw Failure(number: 2) }.error as? Failure == Failure(number: 2))
    }

    @Test func `UnwrapReturnsSuccessValue`() throws { #expect(try success.unwrap() == "success") }

    @Test func `UnwrapThrowsFailureError`() {
        #expect(throws: Failure()) { try failure.unwrap() }
    }

    // MARK: Transforms

    @Test func `MapTransformsSuccessValue`() { #expect(success.map(\.count).value == 7) }

    @Test func `MapPreservesFailureError`() {
        #expect(failure.map(\.count).error as? Failure == Failure())
    }

    @Test func `FlatMapTransformsSuccessValue`() { #expect(success.flatMap(\.count).value == 7) }

    @Test func `FlatMapCatchesTransformationError`() {
        let result: Result<Int> = success.flatMap { _ in throw Failure(number: 2) }
        #expect(result.error as? Failure == Failure(number: 2))
    }

    @Test func `FlatMapPreservesFailureError`() {
        let result: Result<Int> = failure.flatMap { _ in throw Failure(number: 2) }
        #expect(result.error as? Failure == Failure())
    }

    @Test func `MapErrorTransformsErrorValue`() {
        let result = failure.mapError { _ in Failure(number: 3) }
        #expect(result.error as? Failure == Failure(number: 3))
    }

    @Test func `MapErrorPreservesSuccessError`() {
        #expect(success.mapError { _ in Failure(number: 3) }.value == "success")
    }

    @Test func `flatMapError keeps a value`() {
        #expect(success.flatMapError { _ in Failure(number: 3) }.value == "success")
    }

    @Test func `FlatMapErrorTransformsErrorValue`() {
        let result = failure.flatMapError { _ in Failure(number: 3) }
        #expect(result.error as? Failure == Failure(number: 3))
    }

    @Test func `FlatMapErrorCapturesThrownError`() {
        let result = failure.flatMapError { _ -> Failure in throw Failure(number: 4) }
        #expect(result.error as? Failure == Failure(number: 4))
    }

    // MARK: Closures

    /// How often each closure of a result is called.
    private func calls(_ result: Result<String>) -> [Int] {
        var calls = [0, 0, 0, 0]
        result.withValue { _ in calls[0] += 1 }.withError { _ in calls[1] += 1 }
            .ifSuccess { calls[2] += 1 }.ifFailure { calls[3] += 1 }
        return calls
    }

    @Test func `WithValueExecutesWhenSuccess`() { #expect(calls(success)[0] == 1) }

    @Test func `WithValueDoesNotExecutesWhenFailure`() { #expect(calls(failure)[0] == 0) }

    @Test func `WithErrorExecutesWhenFailure`() { #expect(calls(failure)[1] == 1) }

    @Test func `WithErrorDoesNotExecuteWhenSuccess`() { #expect(calls(success)[1] == 0) }

    @Test func `IfSuccessExecutesWhenSuccess`() { #expect(calls(success)[2] == 1) }

    @Test func `IfSuccessDoesNotExecutesWhenFailure`() { #expect(calls(failure)[2] == 0) }

    @Test func `IfFailureExecutesWhenFailure`() { #expect(calls(failure)[3] == 1) }

    @Test func `IfFailureDoesNotExecuteWhenSuccess`() { #expect(calls(success)[3] == 0) }

    @Test func `FunctionalMethodsCanBeChained`() {
        var (text, isSuccess) = ("first", false)
        let end = success.map { _ in "second" }.flatMap { _ in "third" }
            .withValue { if $0 == "third" { text = "fourth" } }
            .ifSuccess { isSuccess = true }
        #expect(end.value == "third" && text == "fourth" && isSuccess)
    }
}
