import TestSupport

@testable import OperationNetworking

@Suite("Requests with a multipart body", .timeLimit(.minutes(5)))
struct MultipartRequestTests {
    private func body(_ request: URLRequest) throws -> ReadBody {
        readAll(try #require(request.httpBodyStream))
    }

    private func read(_ request: URLRequest) throws -> [StrictMultipartReader.Part] {
        let type = try #require(request.value(forHTTPHeaderField: "Content-Type"))
        let boundary = type.replacingOccurrences(of: "multipart/form-data; boundary=", with: "")
        return try StrictMultipartReader.parts(of: try body(request).bytes, boundary: boundary)
    }

    private func error(
        parameters: [String: Any]? = nil, encoding: String.Encoding = .utf8,
        _ parts: @escaping (any MultipartFormData) -> Void = { _ in }
    ) -> MultipartError? {
        #expect(throws: MultipartError.self) {
            try multipartRequest(parameters: parameters, encoding: encoding, parts)
        }
    }

    @Test func `without parts it is the request without parameters`() throws {
        for parameters in [nil, [:], ["a": [String]()]] as [[String: Any]?] {
            let request = try multipartRequest(parameters: parameters) {
                $0.throttleBandwidth(packetSize: 1, delay: 1)
            }
            #expect(request.httpBodyStream == nil)
            #expect(request.httpBody == Data())
            #expect(
                request.value(forHTTPHeaderField: "Content-Type")
                    == "application/x-www-form-urlencoded")
        }
    }

    @Test func `parameters come before the block's parts, bytes as they are, null empty`() throws {
        let request = try multipartRequest(parameters: [
            "b": ["x": 1, "y": NSNull()], "a": Data([0, 255]), "c": ["1", "2"],
        ]) { $0.appendPart(formData: Data("last".utf8), name: "z") }
        let parts = try read(request)
        let names = ["a", "b[x]", "b[y]", "c[]", "c[]", "z"]
        #expect(
            parts.map(\.headers)
                == names.map { ["Content-Disposition: form-data; name=\"\($0)\""] })
        #expect(
            parts.map(\.body)
                == [Data([0, 255]), Data("1".utf8), Data(), Data("1".utf8), Data("2".utf8)]
                + [Data("last".utf8)])
    }

    @Test func `every way of appending gives its part`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("ünï.png")
        let bytes = Data("data".utf8)
        let request = try multipartRequest {
            try? $0.appendPart(fileURL: file, name: "1")
            try? $0.appendPart(fileURL: file, name: "2", fileName: "o", mimeType: "x/y")
            $0.appendPart(
                inputStream: InputStream(data: bytes), name: "3", fileName: "s", length: 4,
                mimeType: "a/b")
            $0.appendPart(fileData: bytes, name: "4", fileName: "d", mimeType: "")
            $0.appendPart(formData: bytes, name: "5")
            $0.appendPart(headers: ["X": "1"], body: bytes)
            $0.appendPart(headers: nil, body: bytes)
        }
        let named = "Content-Disposition: form-data; name="
        let parts = try read(request)
        #expect(
            parts.map(\.headers) == [
                ["\(named)\"1\"; filename=\"ünï.png\"", "Content-Type: image/png"],
                ["\(named)\"2\"; filename=\"o\"", "Content-Type: x/y"],
                ["\(named)\"3\"; filename=\"s\"", "Content-Type: a/b"],
                ["\(named)\"4\"; filename=\"d\"", "Content-Type: "],
                ["\(named)\"5\""], ["X: 1"], [],
            ])
        let content = Data("content".utf8)
        #expect(parts.map(\.body) == [content, content] + Array(repeating: bytes, count: 5))
    }

    // MARK: Refusals

    /// What cannot be appended, and why.
    static let unusable: [(address: String, reason: MultipartError.Reason)] = [
        ("file:///no/such", .fileNotReachable), ("file:///", .notRegularFile),
        ("file:///dev/null", .notRegularFile), ("http://a/b", .notFileURL),
    ]

    @Test(arguments: unusable, [true, false])
    func `a form without a file that could not be appended is not made, whoever ignores that`(
        _ unusable: (address: String, reason: MultipartError.Reason), isNamed: Bool
    ) throws {
        let url = try #require(URL(string: unusable.address))
        var reported: MultipartError.Reason?
        let thrown = error { form in
            form.appendPart(formData: Data("1".utf8), name: "a")
            do {
                if isNamed {
                    try form.appendPart(fileURL: url, name: "f", fileName: "n", mimeType: "a/b")
                } else {
                    try form.appendPart(fileURL: url, name: "f")
                }
            } catch {
                reported = (error as? MultipartError)?.reason
            }
            try? form.appendPart(fileURL: URL(filePath: "/another"), name: "g\n")
        }
        #expect(reported == unusable.reason && thrown?.reason == unusable.reason)
    }

    @Test func `a file part whose header is refused refuses the form`() throws {
        let folder = TemporaryFolder()
        let file = try folder.write("file")
        let thrown = error {
            try? $0.appendPart(fileURL: file, name: "f", fileName: "n", mimeType: "a\r\nX: y")
        }
        #expect(thrown?.reason == .refusedHeader)
    }

    @Test func `the first part that is refused is thrown`() {
        #expect(
            error {
                $0.appendPart(formData: Data(), name: "a")
                $0.appendPart(fileData: Data(), name: "f", fileName: "n", mimeType: "a\r\nX: y")
                $0.appendPart(
                    inputStream: InputStream(data: Data()), name: "s", fileName: "s", length: -1,
                    mimeType: "")
            }?.reason == .refusedHeader)
        #expect(
            error {
                $0.appendPart(
                    inputStream: InputStream(data: Data()), name: "s", fileName: "s", length: -1,
                    mimeType: "")
            }?.reason == .refusedLength)
        #expect(
            error { $0.appendPart(headers: ["X\0": ""], body: Data()) }?.reason == .refusedHeader)
    }

    @Test func `GET and HEAD are refused, but for their exact spelling`() throws {
        for method in ["GET", "HEAD"] {
            let error = #expect(throws: MultipartError.self) {
                try HTTPRequestSerializer().multipartFormRequest(
                    method: method, urlString: "http://h/", parameters: nil, constructingBody: nil)
            }
            #expect(error?.reason == .methodWithoutBody)
        }
        let request = try HTTPRequestSerializer().multipartFormRequest(
            method: "get", urlString: "http://h/", parameters: ["a": 1], constructingBody: nil)
        #expect(try read(request).count == 1)
    }

    @Test func `a value goes in the serializer's encoding, or is an error`() throws {
        let request = try multipartRequest(parameters: ["ä": "ö"], encoding: .isoLatin1)
        let part = try #require(try read(request).first)
        #expect(part.body == Data([0xF6]))
        #expect(part.headers == ["Content-Disposition: form-data; name=\"ä\""])
        let refused = error(parameters: ["a": "日本"], encoding: .isoLatin1)
        #expect(refused?.reason == .unencodableParameter)
    }

    @Test func `every reason has its number and is an error of the request's domain`() {
        #expect(MultipartError.Reason.allCases.map(\.rawValue) == Array(1...14))
        for reason in MultipartError.Reason.allCases {
            let error = MultipartError(reason, "why", errno: ENOSPC) as NSError
            #expect(error.domain == NetworkingError.requestSerializationDomain)
            #expect([-1000, -1021, -3000].contains(error.code))
            #expect(error.localizedFailureReason == "why")
            #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.code == Int(ENOSPC))
        }
    }

    // MARK: The boundary

    @Test func `a boundary has sixteen digits, and no two are the same`() throws {
        var seen: Set<String> = []
        for _ in 0..<1_000 {
            let text = MultipartBoundary.random().text
            #expect(try /Boundary\+[0-9A-F]{16}/.wholeMatch(in: text) != nil)
            #expect(seen.insert(text).inserted)
        }
    }

    @Test func `a boundary that occurs in a part is not taken`() throws {
        var texts = ["in-data", "in-name", "free"]
        let request = try multipartRequest {
            $0.appendPart(formData: Data("a\r\n--in-data\r\nb".utf8), name: "--in-name")
        } boundaries: {
            MultipartBoundary(text: texts.removeFirst())
        }
        #expect(
            request.value(forHTTPHeaderField: "Content-Type")
                == "multipart/form-data; boundary=free")
        #expect(try read(request).map(\.body) == [Data("a\r\n--in-data\r\nb".utf8)])
    }

    @Test func `lines that look like a boundary are part of their part`() throws {
        let text = Data("--Boundary+0000000000000000\r\n--\r\n----\r\n\r\n--Boundary+".utf8)
        let request = try multipartRequest {
            $0.appendPart(formData: text, name: "a")
            $0.appendPart(formData: text, name: "b")
        }
        #expect(try read(request).map(\.body) == [text, text])
    }

    // MARK: The request as a value

    @Test func `own Content-Type and Content-Length give way to the body's`() throws {
        let serializer = HTTPRequestSerializer()
        serializer.setValue("text/plain", forHTTPHeaderField: "content-type")
        serializer.setValue("7", forHTTPHeaderField: "Content-Length")
        let request = try serializer.multipartFormRequest(
            method: "POST", urlString: "http://h/", parameters: ["a": 1], constructingBody: nil)
        #expect(try read(request).count == 1)
        let length = request.value(forHTTPHeaderField: "Content-Length")
        #expect(
            length == (request.httpBodyStream as? MultipartBodyStream).map { "\($0.contentLength)" }
        )
        let names = (request.allHTTPHeaderFields ?? [:]).keys.map { $0.lowercased() }
        #expect(Set(names).count == names.count)
    }

    @Test func `a form that is kept changes nothing later`() throws {
        var kept: (any MultipartFormData)?
        let request = try multipartRequest {
            kept = $0
            $0.appendPart(formData: Data("1".utf8), name: "a")
        }
        kept?.appendPart(formData: Data("2".utf8), name: "b")
        #expect(try read(request).count == 1)
    }

    @Test func `a request changed later leaves the first one as it was`() throws {
        let request = try multipartRequest { $0.appendPart(formData: Data(), name: "a") }
        var changed = request
        changed.httpBody = Data("x".utf8)
        changed.setValue("1", forHTTPHeaderField: "Content-Length")
        #expect(try read(request).count == 1)
        #expect(changed.httpBodyStream == nil)
    }
}
