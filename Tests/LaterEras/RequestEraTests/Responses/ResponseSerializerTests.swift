import RequestEra
import TestSupport

@Suite("Serializers of responses", .timeLimit(.minutes(1)))
struct ResponseSerializerTests {
    private let folder = TemporaryFolder()

    private func response(_ status: Int = 200, _ type: String? = nil) throws -> HTTPURLResponse {
        let response = HTTPURLResponse(
            url: try "https://example.com/".asURL(), statusCode: status, httpVersion: "HTTP/1.1",
            headerFields: type.map { ["Content-Type": $0] })
        return try #require(response)
    }

    @Test(arguments: [204, 205])
    func `no data of a status without a body is empty data`(_ status: Int) throws {
        let result = DataRequest.dataResponseSerializer()
            .serializeResponse(nil, try response(status), nil, nil)
        #expect(result.value == Data())
    }

    @Test
    func `a device or a pipe in a file's place is an error, and is not waited for`() throws {
        let pipe = folder.file("pipe")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        for url in [URL(fileURLWithPath: "/dev/null"), pipe] {
            let result = DownloadRequest.dataResponseSerializer()
                .serializeResponse(nil, try response(), url, nil)
            guard
                case .responseSerializationFailed(.inputFileReadFailed(let place))? =
                    result.error as? AFError
            else {
                Issue.record("\(url.path): \(result)")
                // The old way would wait for the pipe's other end.
                return
            }
            #expect(place == url)
        }
    }

    @Test
    func `the text of a file is read in the encoding that is given, or the response's`() throws {
        let type = "text/plain; charset=utf-8"
        let cases: [(String.Encoding?, String?)] = [(.utf8, nil), (nil, type)]
        for (encoding, type) in cases {
            let serializer = DownloadRequest.stringResponseSerializer(encoding: encoding)
            func text(_ data: Data) throws -> Result<String> {
                serializer.serializeResponse(
                    nil, try response(200, type), try folder.write("download", data), nil)
            }
            #expect(try text(Data("é".utf8)).value == "é")
            let wide = try #require("random data".data(using: .utf32))
            #expect((try text(wide).error as? AFError)?.failedStringEncoding == .utf8)
        }
    }
}
