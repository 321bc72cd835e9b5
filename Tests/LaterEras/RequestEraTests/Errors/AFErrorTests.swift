import TestSupport

@testable import RequestEra

/// Each case and reason that can happen on Linux is made to happen somewhere: those of forms and
/// validation in their tests, those of serializers under the original's names. Here are the others.
@Suite("Errors", .timeLimit(.minutes(1)))
struct AFErrorTests {
    @Test
    func `an error is told apart by its Booleans, one at a time`() {
        let errors: [AFError] = [
            .invalidURL(url: ""), .parameterEncodingFailed(reason: .missingURL),
            .multipartEncodingFailed(reason: .outputStreamWriteFailed(error: PlainError(tag: ""))),
            .responseValidationFailed(reason: .dataFileNil),
            .responseSerializationFailed(reason: .inputDataNil),
        ]
        for (place, error) in errors.enumerated() {
            let flags = [
                error.isInvalidURLError, error.isParameterEncodingError,
                error.isMultipartEncodingError, error.isResponseValidationError,
                error.isResponseSerializationError,
            ]
            #expect(flags.enumerated().allSatisfy { $1 == ($0 == place) })
            #expect((error as NSError).domain == "Alamofire.AFError")
            #expect((error as NSError).code == place)
            #expect(error.errorDescription == error.localizedDescription)
        }
    }

    @Test
    func `text and components that are no URL are told with themselves`() throws {
        let text = try #require(throws: AFError.self) { try "http://[::1".asURL() }
        #expect(text.urlConvertible as? String == "http://[::1")
        var parts = URLComponents()
        (parts.host, parts.path) = ("example.com", "no-slash")
        let error = try #require(throws: AFError.self) { try parts.asURL() }
        #expect(error.urlConvertible is URLComponents)
    }

    @Test
    func `a property list that cannot be written is told with its cause`() throws {
        let request = URLRequest(url: try "https://example.com/".asURL())
        let error = try #require(throws: AFError.self) {
            try PropertyListEncoding.binary.encode(request, with: ["a": NSNull()])
        }
        #expect(error.isParameterEncodingError && error.underlyingError != nil)
        #expect(
            error.localizedDescription.hasPrefix(
                "PropertyList could not be encoded because of error:"))
    }
}
