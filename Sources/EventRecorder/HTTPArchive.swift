import Foundation

/// HTTP Archive 1.2: the mandatory fields and those that are known.
struct HTTPArchive: Encodable {
    let log: Log

    struct Log: Encodable {
        let version = "1.2"
        let creator = Creator()
        let entries: [Entry]
        /// What is missing.
        let comment: String?
    }

    struct Creator: Encodable {
        let name = "OperationNetworking"
        let version = "1"
    }

    struct Entry: Encodable {
        let startedDateTime: Date
        let time: Double
        let request: Request
        let response: Response
        let cache = NoCache()
        let timings: Timings
        let serverIPAddress: String?
        let connection: String?
        let comment: String?
    }

    struct NoCache: Encodable {}

    struct Request: Encodable {
        let method: String
        let url: String
        let httpVersion: String
        let cookies: [Cookie]
        let headers: [Pair]
        let queryString: [Pair]
        let headersSize = -1
        let bodySize: Int64
    }

    struct Response: Encodable {
        let status: Int
        let statusText: String
        let httpVersion: String
        let cookies: [Cookie]
        let headers: [Pair]
        let content: Content
        let redirectURL: String
        let headersSize = -1
        let bodySize: Int64
    }

    struct Pair: Encodable {
        let name: String
        let value: String
    }

    struct Cookie: Encodable {
        let name: String
        let value: String
        var path: String?
        var domain: String?
        var httpOnly: Bool?
        var secure: Bool?
    }

    struct Content: Encodable {
        let size: Int64
        let compression: Int64?
        let mimeType: String
    }

    /// In milliseconds; -1 for what is not known or does not apply. `send`, `wait` and `receive`
    /// must not be below 0, so they are 0 then; `connect` contains `ssl`.
    struct Timings: Encodable {
        let blocked: Double
        let dns: Double
        let connect: Double
        let send: Double
        let wait: Double
        let receive: Double
        let ssl: Double

        var sum: Double {
            [blocked, dns, connect, send, wait, receive].filter { $0 > 0 }.reduce(0, +)
        }
    }
}
