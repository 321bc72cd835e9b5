import TestSupport

@testable import CurlConnection

@Suite("Documentation that is made from the code", .timeLimit(.minutes(5)))
struct DocumentationTests {
    private static let first = "<!-- errors -->"
    private static let last = "<!-- /errors -->"
    private static let file =
        PackageSources.root.appendingPathComponent("Documentation/Transport.md")

    /// Names of the codes in use; `URLError.Code` does not tell its own.
    private static let names: [URLError.Code: String] = [
        .cannotParseResponse: "cannotParseResponse", .resourceUnavailable: "resourceUnavailable",
        .badURL: "badURL", .unsupportedURL: "unsupportedURL", .cannotFindHost: "cannotFindHost",
        .cannotConnectToHost: "cannotConnectToHost", .badServerResponse: "badServerResponse",
        .networkConnectionLost: "networkConnectionLost",
        .cannotDecodeRawData: "cannotDecodeRawData",
        .requestBodyStreamExhausted: "requestBodyStreamExhausted",
        .dataLengthExceedsMaximum: "dataLengthExceedsMaximum", .timedOut: "timedOut",
        .secureConnectionFailed: "secureConnectionFailed", .cancelled: "cancelled",
        .httpTooManyRedirects: "httpTooManyRedirects",
        .clientCertificateRejected: "clientCertificateRejected",
        .serverCertificateUntrusted: "serverCertificateUntrusted",
        .cannotDecodeContentData: "cannotDecodeContentData",
        .clientCertificateRequired: "clientCertificateRequired",
        .userAuthenticationRequired: "userAuthenticationRequired",
        .serverCertificateHasBadDate: "serverCertificateHasBadDate",
        .serverCertificateHasUnknownRoot: "serverCertificateHasUnknownRoot",
        .redirectToNonExistentLocation: "redirectToNonExistentLocation",
        .cannotWriteToFile: "cannotWriteToFile", .dnsLookupFailed: "dnsLookupFailed",
    ]

    /// The table as the code has it.
    private static func table() -> [String] {
        let head = [
            "| libcurl | libcurl's text | `URLError.Code` | Number |", "|---:|---|---|---:|",
        ]
        let rows = (0..<CurlCode.count).compactMap { number -> String? in
            let result = CurlCode(rawValue: number)
            let code = result.urlErrorCode
            guard result != .ok, code != .unknown else { return nil }
            let name = names[code] ?? "?"
            return "| \(number) | \(result.text) | `\(name)` | \(code.rawValue) |"
        }
        let unknown = URLError.Code.unknown.rawValue
        return head + rows + ["| others | | `unknown` | \(unknown) |"]
    }

    @Test
    func `the table of errors in Transport.md is the one in the code`() throws {
        let lines = try String(contentsOf: Self.file, encoding: .utf8)
            .components(separatedBy: "\n")
        let start = try #require(lines.firstIndex(of: Self.first))
        let end = try #require(lines.firstIndex(of: Self.last))
        try #require(start < end)
        let table = Self.table()
        if ProcessInfo.processInfo.environment["UPDATE_DOCUMENTATION"] == "1" {
            let text = (lines[...start] + table + lines[end...]).joined(separator: "\n")
            try text.write(to: Self.file, atomically: true, encoding: .utf8)
        } else {
            #expect(Array(lines[(start + 1)..<end]) == table)
        }
    }

    @Test
    func `every code of the table has a name and a text`() {
        for row in Self.table() {
            #expect(!row.contains("`?`") && !row.contains("|  |"))
        }
    }
}
