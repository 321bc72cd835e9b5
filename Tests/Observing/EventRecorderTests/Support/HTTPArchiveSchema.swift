import Foundation

/// HTTP Archive 1.2 as its specification has it: what is mandatory there is not optional here.
struct HTTPArchiveSchema: Decodable {
    let log: Log

    struct Log: Decodable {
        let version: String
        let creator: Creator
        let entries: [Entry]
    }

    struct Creator: Decodable {
        let name: String
        let version: String
    }

    struct Entry: Decodable {
        let startedDateTime: String
        let time: Double
        let request: Request
        let response: Response
        let cache: Cache
        let timings: Timings
        let serverIPAddress: String?
        let connection: String?
        let comment: String?
    }

    struct Cache: Decodable {}

    struct Request: Decodable {
        let method: String
        let url: String
        let httpVersion: String
        let cookies: [Cookie]
        let headers: [Pair]
        let queryString: [Pair]
        let headersSize: Int
        let bodySize: Int
    }

    struct Response: Decodable {
        let status: Int
        let statusText: String
        let httpVersion: String
        let cookies: [Cookie]
        let headers: [Pair]
        let content: Content
        let redirectURL: String
        let headersSize: Int
        let bodySize: Int
    }

    struct Cookie: Decodable {
        let name: String
        let value: String
        let path: String?
        let domain: String?
        let expires: String?
        let httpOnly: Bool?
        let secure: Bool?
    }

    struct Pair: Decodable, Equatable {
        let name: String
        let value: String
    }

    struct Content: Decodable {
        let size: Int
        let compression: Int?
        let mimeType: String
    }

    struct Timings: Decodable {
        let blocked: Double?
        let dns: Double?
        let connect: Double?
        let send: Double
        let wait: Double
        let receive: Double
        let ssl: Double?
    }

    /// What the specification says of values.
    var problems: [String] {
        var problems: [String] = []
        func expect(_ holds: Bool, _ what: String) { if !holds { problems.append(what) } }
        expect(log.version == "1.2", "version")
        expect(!log.creator.name.isEmpty && !log.creator.version.isEmpty, "creator")
        let starts = log.entries.map(\.startedDateTime)
        expect(starts == starts.sorted(), "entries by their start")
        for entry in log.entries {
            let date = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|[+-]\d\d:\d\d)/
            expect(entry.startedDateTime.wholeMatch(of: date) != nil, "startedDateTime")
            let timings = entry.timings
            let optional = [timings.blocked, timings.dns, timings.connect, timings.ssl]
                .map { $0 ?? -1 }
            expect(optional.allSatisfy { $0 >= 0 || $0 == -1 }, "optional timings")
            let mandatory = [timings.send, timings.wait, timings.receive]
            expect(mandatory.allSatisfy { $0 >= 0 }, "mandatory timings")
            expect((timings.ssl ?? -1) <= max(timings.connect ?? -1, -1), "ssl inside connect")
            let sum = (optional.dropLast() + mandatory).filter { $0 > 0 }.reduce(0, +)
            expect(abs(entry.time - sum) < 1e-6, "time is the sum")
            expect(entry.request.headersSize >= -1 && entry.request.bodySize >= -1, "request sizes")
            expect(entry.response.headersSize >= -1 && entry.response.bodySize >= -1, "sizes")
            let content = entry.response.content
            expect(content.size >= 0, "content size")
            let saved = content.size - max(0, entry.response.bodySize)
            expect(content.compression.map { $0 == saved } ?? true, "compression")
            expect(!entry.request.method.isEmpty && !entry.request.url.isEmpty, "request")
            let cookies = entry.request.cookies + entry.response.cookies
            expect(cookies.allSatisfy { !$0.name.isEmpty }, "names of cookies")
        }
        return problems
    }
}
