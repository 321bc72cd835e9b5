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
    func `no description, error or command has a control character of a peer`() throws {
        let hostile = "\u{1B}]0;t\u{7}\u{9B}\u{7F}\u{202E}x"
        var request = try URLRequest(url: "https://example.com/", method: .post)
        request.httpBody = Data("a=\(hostile)".utf8)
        request.allHTTPHeaderFields = ["X-A": hostile]
        let answer = HTTPURLResponse(
            url: try "https://example.com/".asURL(), statusCode: 200, httpVersion: "HTTP/1.1",
            headerFields: ["X-A": hostile])
        let response = DataResponse(
            request: request, response: answer, data: Data(hostile.utf8), result: .success(hostile))
        let cause = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: hostile])
        let errors: [AFError] = [
            .invalidURL(url: hostile),
            .parameterEncodingFailed(reason: .jsonEncodingFailed(error: cause)),
            .responseValidationFailed(
                reason: .unacceptableContentType(
                    acceptableContentTypes: [hostile], responseContentType: hostile)),
            .responseSerializationFailed(reason: .jsonSerializationFailed(error: cause)),
            .multipartEncodingFailed(reason: .inputStreamReadFailed(error: cause)),
        ]
        let command = CurlCommand(request: request)
        let texts =
            errors.map(\.localizedDescription)
            + [
                response.debugDescription, response.description, command.text(),
                command.text(showingSecrets: true),
            ]
        for text in texts {
            let isHarmless = text.unicodeScalars.allSatisfy {
                $0 == "\n" || $0 == "\t"
                    || !($0.properties.generalCategory == .control || $0.properties.isBidiControl)
            }
            #expect(isHarmless, "\(text.debugDescription)")
        }
    }

    @Test
    func `an error's text has no secret of its URL`() {
        let error = AFError.invalidURL(url: "https://u:hunter@[/?token=hunter")
        #expect(
            error.localizedDescription == "URL is not valid: https://REDACTED@[/?token=REDACTED")
    }
}
