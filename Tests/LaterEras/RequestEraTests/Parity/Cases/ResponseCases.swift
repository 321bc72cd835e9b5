import ParitySupport
import RequestEra
import TestSupport

/// The responses of request-results.json.
extension ResultCases {
    private static let timeline = Timeline(
        requestStartTime: 1, initialResponseTime: 2, requestCompletedTime: 4,
        serializationCompletedTime: 8)

    private static let page = URL(string: "https://example.com/p")

    private static func request(_ name: String?) throws -> URLRequest? {
        guard let page else { throw Unplayed("a URL") }
        var request = URLRequest(url: page)
        switch name {
        case "nil": return nil
        case "get", nil: break
        case "method-nil": request.httpMethod = nil
        case "post-body":
            request.httpMethod = "POST"
            request.httpBody = Data("a=1&b=é".utf8)
        case "binary-body":
            request.httpMethod = "POST"
            request.httpBody = Data([0xFF, 0x61])
        case let name?: throw Unplayed("the request \(name)")
        }
        return request
    }

    private static func answer(_ input: GoldenValue) throws -> HTTPURLResponse? {
        if input["response"]?.isNil == true { return nil }
        guard input["response"] == nil, let page else { throw Unplayed("\(input)") }
        return HTTPURLResponse(
            url: page, statusCode: 201, httpVersion: "HTTP/1.1", headerFields: nil)
    }

    static func response(_ input: GoldenValue) throws -> DataResponse<String> {
        let data: Data?
        switch input["data"]?.string {
        case nil: data = Data("d".utf8)
        case "nil": data = nil
        case "empty": data = Data()
        case "text": data = Data("body é".utf8)
        case "binary": data = Data([0xFF, 0xFE, 0x61])
        case let name?: throw Unplayed("the data \(name)")
        }
        return DataResponse(
            request: try request(input["request"]?.string), response: try answer(input), data: data,
            result: try given(input["result"]), timeline: timeline)
    }

    static func download(_ input: GoldenValue) throws -> DownloadResponse<String> {
        let isTransform = input["transform"] != nil
        func file(_ name: String, _ other: String) -> URL? {
            isTransform
                ? URL(fileURLWithPath: other)
                : input[name]?.string.map { URL(fileURLWithPath: $0) }
        }
        let resumeData: Data?
        switch input["resumeData"]?.string {
        case nil: resumeData = isTransform ? Data([9]) : nil
        case "4 bytes": resumeData = Data([1, 2, 3, 4])
        case let text?: throw Unplayed("resume data \(text)")
        }
        return DownloadResponse(
            request: try request(input["request"]?.string), response: try answer(input),
            temporaryURL: file("temporaryURL", "/tmp/t e.txt"),
            destinationURL: file("destinationURL", "/d/e.txt"), resumeData: resumeData,
            result: try given(input["result"]), timeline: timeline)
    }

    static func shown(_ response: DataResponse<Any>) -> GoldenValue {
        [
            "description": .string(response.description),
            "value": SeenValue.object(response.value), "error": SeenValue.error(response.error),
            "request": SeenValue.text(response.request?.url?.absoluteString),
            "status": response.response.map { .int($0.statusCode) } ?? .absent,
            "data": SeenValue.data(response.data),
            "timeline": .string(response.timeline.description),
        ]
    }

    static func shown(_ response: DownloadResponse<Any>) -> GoldenValue {
        [
            "description": .string(response.description),
            "value": SeenValue.object(response.value), "error": SeenValue.error(response.error),
            "request": SeenValue.text(response.request?.url?.absoluteString),
            "status": response.response.map { .int($0.statusCode) } ?? .absent,
            "temporaryURL": SeenValue.text(response.temporaryURL?.path),
            "destinationURL": SeenValue.text(response.destinationURL?.path),
            "resumeData": SeenValue.data(response.resumeData),
            "timeline": .string(response.timeline.description),
        ]
    }
}
