import TestSupport

@testable import HTTPSemantics

/// The server of tests has a type of the same name.
typealias HeaderFields = HTTPSemantics.HeaderFields

/// A cache and an origin that never speaks for itself; time is what the test says.
struct CacheFixture {
    typealias Fields = [(name: String, value: String)]

    /// Tue, 14 Nov 2023 22:13:20 GMT.
    static let start = Date(timeIntervalSince1970: 1_700_000_000)
    static let date = "Tue, 14 Nov 2023 22:13:20 GMT"
    /// Ten hours before.
    static let modified = "Tue, 14 Nov 2023 12:13:20 GMT"

    let cache: ResponseCache

    init(_ cache: ResponseCache? = nil) {
        self.cache =
            cache
            ?? required {
                try ResponseCache(memoryCapacity: 1 << 20, usesHeuristicFreshness: true)
            }
    }

    static func at(_ seconds: TimeInterval) -> Date { start.addingTimeInterval(seconds) }

    static func request(
        _ target: String = "/a", _ method: String = "GET",
        policy: URLRequest.CachePolicy = .useProtocolCachePolicy, with fields: Fields = []
    ) -> URLRequest {
        let url = target.contains("://") ? target : "http://h.test" + target
        var request = URLRequest(url: URL(string: url) ?? URL(fileURLWithPath: "/"))
        request.httpMethod = method
        request.cachePolicy = policy
        for field in fields {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        return request
    }

    static func answer(
        _ status: Int = 200, _ fields: Fields = [], at seconds: TimeInterval = 0,
        delay: TimeInterval = 0, isDecoded: Bool = false
    ) -> ReceivedResponse {
        ReceivedResponse(
            status: status, fields: HeaderFields(fields), requestTime: at(seconds - delay),
            responseTime: at(seconds), isDecoded: isDecoded)
    }

    static func response(_ status: Int = 200, _ fields: [String: String] = [:]) -> URLResponse {
        let url = URL(fileURLWithPath: "/")
        return HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
            ?? URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
    }

    /// Plays a whole exchange.
    @discardableResult
    func exchange(
        _ answer: ReceivedResponse, to request: URLRequest = request(), body: String = "body"
    ) -> CacheReason {
        let (recording, objection) = cache.record(answer, to: request)
        guard let recording else { return objection ?? .cancelled }
        recording.append(Data(body.utf8))
        let proposal = recording.proposal(for: Self.response(answer.status))
        return recording.finish(proposal, as: proposal)
    }

    /// Plays a whole exchange, given its header fields.
    @discardableResult
    func store(
        _ fields: Fields, status: Int = 200, to request: URLRequest = request(),
        body: String = "body", at seconds: TimeInterval = 0
    ) -> CacheReason {
        exchange(Self.answer(status, fields, at: seconds), to: request, body: body)
    }

    func decide(_ request: URLRequest = request(), at seconds: TimeInterval = 1) -> CacheDecision {
        cache.decide(for: request, at: Self.at(seconds))
    }

    /// What is done, and why, as it prints.
    func says(_ request: URLRequest = request(), at seconds: TimeInterval = 1) -> String {
        decide(request, at: seconds).description
    }
}

extension CacheDecision {
    /// The answer, served or to be confirmed.
    var answer: StoredResponse? {
        switch outcome {
        case .serve(let answer), .revalidate(let answer, _): answer
        case .load, .fail: nil
        }
    }

    var text: String? { answer.map { String(decoding: $0.body, as: UTF8.self) } }

    /// The fields to add to the request, one a line.
    var added: [String] {
        switch outcome {
        case .load(let fields), .revalidate(_, let fields):
            fields.map { "\($0.name): \($0.value)" }
        case .serve, .fail: []
        }
    }

    var word: String { String(description.prefix { $0 != ":" }) }
}

extension StoredResponse {
    /// The lines of a field.
    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }
}

/// By plain requests.
extension ResponseCache {
    func decide(for request: URLRequest, at now: Date) -> CacheDecision {
        decide(for: CacheRequest(request), at: now)
    }

    func record(
        _ answer: ReceivedResponse, to request: URLRequest
    ) -> (recording: CacheRecording?, objection: CacheReason?) {
        record(answer, to: CacheRequest(request))
    }

    func freshen(
        _ answer: StoredResponse, with notModified: ReceivedResponse, to request: URLRequest
    ) -> StoredResponse? {
        freshen(answer, with: notModified, to: CacheRequest(request))
    }

    func staleAnswer(
        for request: URLRequest, on failure: CacheFailure, at now: Date
    ) -> StoredResponse? {
        staleAnswer(for: CacheRequest(request), on: failure, at: now)
    }
}

/// A directory that goes with the test.
final class CacheFolder {
    static let fresh: CacheFixture.Fields = [
        ("Cache-Control", "max-age=60"), ("ETag", "\"a\""), ("X", "1"), ("X", "2"),
    ]

    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func cache(memory: Int = 0, disk: Int = 1 << 20) throws -> ResponseCache {
        try ResponseCache(memoryCapacity: memory, diskCapacity: disk, directory: url)
    }

    var names: [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: url.path)
        return (names ?? []).filter { $0 != "lock" }.sorted()
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    func mode(_ name: String) throws -> Int? {
        let path = file(name).path
        let value = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        return (value as? NSNumber)?.intValue
    }

    /// Stores one answer and gives the file's name.
    func storeOne() throws -> String {
        let origin = try CacheFixture(cache())
        origin.store(Self.fresh)
        origin.cache.waitForDisk()
        return try #require(names.first)
    }
}
