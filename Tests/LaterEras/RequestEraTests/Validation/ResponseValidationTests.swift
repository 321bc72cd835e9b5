import TestSupport

@testable import RequestEra

@Suite("Validation", .timeLimit(.minutes(1)))
struct ResponseValidationTests {
    private let folder = TemporaryFolder()

    private func response(_ type: String?) throws -> HTTPURLResponse {
        try #require(
            HTTPURLResponse(
                url: try "https://example.com/".asURL(), statusCode: 200, httpVersion: "HTTP/1.1",
                headerFields: type.map { ["Content-Type": $0] }))
    }

    private func reason(_ result: ValidationResult) -> AFError.ResponseValidationFailureReason? {
        if case .failure(AFError.responseValidationFailed(let reason)) = result { return reason }
        return nil
    }

    @Test
    func `a downloaded file is asked for its size, not read`() throws {
        let file = try folder.write("sparse", Data())
        // More than any machine has memory for.
        #expect(truncate(file.path, off_t(1) << 42) == 0)
        let types = ["text/plain"]
        guard
            case .unacceptableContentType = reason(
                ResponseValidation.contentType(types, try response("image/png"), file: file))
        else {
            Issue.record("The type was not refused.")
            return
        }
        #expect(truncate(file.path, 0) == 0)
        let empty = ResponseValidation.contentType(types, try response("image/png"), file: file)
        if reason(empty) != nil { Issue.record("A file without bytes has a type.") }
    }

    @Test
    func `a pipe in a file's place is no file, and does not block`() throws {
        let pipe = folder.url.appendingPathComponent("pipe")
        #expect(mkfifo(pipe.path, 0o600) == 0)
        guard
            case .dataFileReadFailed(pipe) = reason(
                ResponseValidation.contentType(["*/*"], try response("a/b"), file: pipe))
        else {
            Issue.record("The pipe was accepted.")
            return
        }
    }

    @Test(
        arguments: [
            ("text/*", "text/html", true), ("*/json", "application/json", true),
            ("*/*", "a/b", true), ("text/*", "image/png", false), ("*/json", "text/html", false),
            ("text/plain;q=0", "text/plain", true), (" text/plain ", "text/plain", true),
            ("TEXT/PLAIN", "text/plain", false), ("a/c", "a/b/c", true),
            ("*+json", "a/b+json", false),
            ("text", "text/text", true), ("*", "a/b", true), ("", "a/b", false),
        ])
    func `types match with wildcards, by first and last piece, with case, without parameters`(
        _ acceptable: String, _ type: String, _ matches: Bool
    ) {
        #expect(MediaType(acceptable).accepts(MediaType(type)) == matches)
    }

    @Test
    func `what a request accepts is split at commas as it is written`() throws {
        var request = URLRequest(url: try "https://example.com/".asURL())
        #expect(ResponseValidation.acceptableContentTypes(of: request) == ["*/*"])
        request.setValue("text/plain, application/json", forHTTPHeaderField: "Accept")
        #expect(
            ResponseValidation.acceptableContentTypes(of: request)
                == ["text/plain", " application/json"])
    }
}
