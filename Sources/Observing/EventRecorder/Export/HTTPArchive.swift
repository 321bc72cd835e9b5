public import Foundation

extension Recording {
    /// The exchanges as an HTTP Archive (HAR 1.2), by their start.
    ///
    /// Bodies are left out, only their sizes are given. An exchange without a response has status
    /// 0, and its error as a comment. Where the recording is incomplete, comments say so.
    ///
    /// - Throws: the encoder's error; none is known.
    public func har() throws -> Data {
        let incompleteness =
            "Not the whole recording: \(dropped) events or exchanges were dropped, and "
            + "\(textsLeftOut) texts were left out."
        let log: HTTPArchiveObject = [
            "version": "1.2",
            "creator": ["name": "OperationNetworking", "version": "1"] as HTTPArchiveObject,
            "entries": exchanges.sorted { $0.startDate < $1.startDate }.map(\.archiveEntry),
            "comment": isComplete ? nil : incompleteness,
        ]
        return JSONText.harmless(try RecordingCoding.encoder().encode(["log": log]))
    }
}

/// A JSON object of the archive; fields that are nil are left out.
private struct HTTPArchiveObject: Encodable, ExpressibleByDictionaryLiteral {
    private let fields: [(String, (any Encodable)?)]

    init(dictionaryLiteral fields: (String, (any Encodable)?)...) {
        self.fields = fields
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for case (let name, let value?) in fields {
            try container.encode(value, forKey: Name(stringValue: name))
        }
    }
}

extension ExchangeRecord {
    fileprivate var archiveEntry: HTTPArchiveObject {
        let leftOut =
            "The address, or the header fields and any error, had no room in the recording."
        return [
            "startedDateTime": startDate, "time": archiveTime, "request": archiveRequest,
            "response": archiveResponse, "cache": [:] as HTTPArchiveObject,
            "timings": archiveTimings, "serverIPAddress": serverAddress, "connection": connection,
            "comment": isIncomplete ? leftOut : error,
        ]
    }

    private var archiveRequest: HTTPArchiveObject {
        [
            "method": method, "url": url, "httpVersion": httpVersion,
            "cookies": requestHeaders.values(of: "Cookie").flatMap {
                $0.split(separator: ";").map { $0.archiveCookie() }
            },
            "headers": requestHeaders, "queryString": archiveQuery, "headersSize": -1,
            "bodySize": requestBodyBytes,
        ]
    }

    private var archiveQuery: [Header] {
        let address = url.prefix { $0 != "#" }
        guard let mark = address.firstIndex(of: "?") else { return [] }
        return address[address.index(after: mark)...].split(separator: "&").map { piece in
            let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { part in
                    let text = part.replacingOccurrences(of: "+", with: " ")
                    return text.removingPercentEncoding ?? text
                }
            return Header(name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
    }

    private var archiveResponse: HTTPArchiveObject {
        let content: HTTPArchiveObject = [
            "size": responseContentBytes ?? responseBodyBytes,
            "compression": responseContentBytes.map { $0 &- responseBodyBytes },
            "mimeType": mimeType,
        ]
        return [
            "status": status,
            "statusText": statusText.isEmpty ? ReasonPhrase.ofStatus[status] ?? "" : statusText,
            "httpVersion": status == 0 ? "" : httpVersion,
            "cookies": responseHeaders.values(of: "Set-Cookie").map { field in
                let pieces = field.split(separator: ";")
                return (pieces.first ?? "").archiveCookie(pieces.dropFirst())
            },
            "headers": responseHeaders, "content": content,
            "redirectURL": responseHeaders.values(of: "Location").first ?? "", "headersSize": -1,
            "bodySize": status == 0 ? -1 : responseBodyBytes,
        ]
    }

    /// In milliseconds; -1 for what is not known or does not apply. `send`, `wait` and `receive`
    /// must not be negative, so they are 0 then; `connect` contains `ssl`.
    private var archiveTimings: [String: Double] {
        [
            "blocked": timings.blocked.ifTime ?? -1, "dns": timings.dns.ifTime ?? -1,
            "connect": timings.connect == nil && timings.ssl == nil
                ? -1 : (timings.connect.ifTime ?? 0) + (timings.ssl.ifTime ?? 0),
            "ssl": timings.ssl.ifTime ?? -1, "send": timings.send.ifTime ?? 0,
            "wait": timings.wait.ifTime ?? 0, "receive": timings.receive.ifTime ?? 0,
        ]
    }

    /// All but `ssl`, which `connect` contains; in fixed order, because a sum of fractions depends
    /// on it.
    private var archiveTime: Double {
        ["blocked", "dns", "connect", "send", "wait", "receive"]
            .compactMap { archiveTimings[$0] }.filter { $0 > 0 }.reduce(0, +)
    }
}

extension Double? {
    /// Nil for a value that is no time, from a clock that was changed or a phase that was not
    /// reached.
    fileprivate var ifTime: Double? { flatMap { $0.isFinite && $0 >= 0 ? $0 : nil } }
}

extension [ExchangeRecord.Header] {
    fileprivate func values(of name: String) -> [String] {
        filter { $0.name.caseInsensitiveCompare(name) == .orderedSame }.map(\.value)
    }
}

extension Substring {
    private var beforeEqualSign: String {
        prefix { $0 != "=" }.trimmingCharacters(in: .whitespaces)
    }

    /// The cookie of "name=value", without its value.
    fileprivate func archiveCookie(_ attributes: ArraySlice<Substring> = []) -> HTTPArchiveObject {
        func value(of name: String) -> String? {
            attributes.last { $0.beforeEqualSign.lowercased() == name }.map {
                String($0.dropFirst($0.prefix { $0 != "=" }.count + 1))
            }
        }
        return [
            "name": beforeEqualSign, "value": Redaction.mark, "path": value(of: "path"),
            "domain": value(of: "domain"),
            "httpOnly": value(of: "httponly").map { _ in true },
            "secure": value(of: "secure").map { _ in true },
        ]
    }
}
