import Foundation
import FoundationNetworking
import Testing

@testable import RequestEra

@Suite("Requests and responses in descriptions", .timeLimit(.minutes(1)))
struct ShownExchangeTests {
    @Test
    func `the description of a response has no secret of request, response or body`() throws {
        var request = try URLRequest(
            url: "https://u:hunter1@example.com/?token=hunter2", method: .post)
        request.httpBody = Data("password=hunter3".utf8)
        let answer = HTTPURLResponse(
            url: try "https://example.com/".asURL(), statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: ["Set-Cookie": "sid=hunter4", "X-A": "plain"])
        let response = DataResponse(
            request: request, response: answer, data: Data(#"{"access_token":"hunter5"}"#.utf8),
            result: .success("hi"))
        #expect(!response.debugDescription.contains("hunter"))
        #expect(response.debugDescription.contains("plain"))
        let download = DownloadResponse(
            request: request, response: answer, temporaryURL: nil, destinationURL: nil,
            resumeData: nil, result: Result.success("hi"))
        #expect(!download.debugDescription.contains("hunter"))
    }

    @Test
    func `an error's text has no secret of its URL`() {
        let error = AFError.invalidURL(url: "https://u:hunter@[/?token=hunter")
        #expect(
            error.localizedDescription == "URL is not valid: https://REDACTED@[/?token=REDACTED")
    }
}
