public import Foundation

extension Recording {
    /// The exchanges as an HTTP Archive (HAR 1.2), by their start.
    ///
    /// Bodies are not in it, only their sizes. An exchange without response has status 0, and its
    /// error as comment. Where the recording is not complete, comments say so.
    ///
    /// - Throws: the encoder's error; none is known.
    public func har() throws -> Data {
        let entries = exchanges.sorted { $0.startDate < $1.startDate }.map(HTTPArchive.Entry.init)
        let log = HTTPArchive.Log(entries: entries, comment: incompleteness)
        return try RecordingCoding.encoder().encode(HTTPArchive(log: log))
    }

    private var incompleteness: String? {
        if isComplete { return nil }
        return "Not the whole recording: \(dropped) events or exchanges had no room, and "
            + "\(textsLeftOut) texts were left out."
    }
}

extension HTTPArchive.Entry {
    fileprivate init(_ record: ExchangeRecord) {
        startedDateTime = record.startDate
        timings = HTTPArchive.Timings(record.timings)
        time = timings.sum
        request = HTTPArchive.Request(record)
        response = HTTPArchive.Response(record)
        serverIPAddress = record.serverAddress
        connection = record.connection
        comment =
            record.isIncomplete
            ? "The address, or the header fields and any error, had no room in the recording."
            : record.error
    }
}

extension HTTPArchive.Timings {
    fileprivate init(_ timings: ExchangeRecord.Timings) {
        let connecting = [timings.connect, timings.ssl].compactMap { $0 }
        blocked = Self.known(timings.blocked) ?? -1
        dns = Self.known(timings.dns) ?? -1
        connect = connecting.isEmpty ? -1 : connecting.compactMap(Self.known).reduce(0, +)
        ssl = Self.known(timings.ssl) ?? -1
        send = Self.known(timings.send) ?? 0
        wait = Self.known(timings.wait) ?? 0
        receive = Self.known(timings.receive) ?? 0
    }

    /// A clock that was turned, or a phase that was not reached, gives what is no time.
    private static func known(_ time: Double?) -> Double? {
        time.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
    }
}

extension HTTPArchive.Request {
    fileprivate init(_ record: ExchangeRecord) {
        method = record.method
        url = record.url
        httpVersion = record.httpVersion
        cookies = record.requestHeaders.filter { $0.isNamed("Cookie") }.flatMap {
            $0.value.split(separator: ";").map(HTTPArchive.Cookie.init(pair:))
        }
        headers = record.requestHeaders.map { .init(name: $0.name, value: $0.value) }
        queryString = Self.query(of: record.url)
        bodySize = record.requestBodyBytes
    }

    private static func query(of url: String) -> [HTTPArchive.Pair] {
        let address = url.prefix { $0 != "#" }
        guard let mark = address.firstIndex(of: "?") else { return [] }
        return address[address.index(after: mark)...].split(separator: "&").map { piece in
            let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { part in
                    let text = part.replacingOccurrences(of: "+", with: " ")
                    return text.removingPercentEncoding ?? text
                }
            return HTTPArchive.Pair(name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
    }
}

extension HTTPArchive.Response {
    fileprivate init(_ record: ExchangeRecord) {
        status = record.status
        statusText =
            record.statusText.isEmpty
            ? ReasonPhrases.phrase(for: record.status) : record.statusText
        httpVersion = record.status == 0 ? "" : record.httpVersion
        cookies = record.responseHeaders.filter { $0.isNamed("Set-Cookie") }
            .map { HTTPArchive.Cookie(setting: $0.value) }
        headers = record.responseHeaders.map { .init(name: $0.name, value: $0.value) }
        content = HTTPArchive.Content(record)
        redirectURL = record.responseHeaders.first { $0.isNamed("Location") }?.value ?? ""
        bodySize = record.status == 0 ? -1 : record.responseBodyBytes
    }
}

extension HTTPArchive.Content {
    fileprivate init(_ record: ExchangeRecord) {
        size = record.responseContentBytes ?? record.responseBodyBytes
        compression = record.responseContentBytes.map { $0 &- record.responseBodyBytes }
        mimeType = record.mimeType
    }
}

extension HTTPArchive.Cookie {
    fileprivate init(pair: Substring) {
        name = pair.prefix { $0 != "=" }.trimmingCharacters(in: .whitespaces)
        value = Redaction.mark
    }

    fileprivate init(setting field: String) {
        let pieces = field.split(separator: ";")
        self.init(pair: pieces.first ?? "")
        for piece in pieces.dropFirst() {
            let attribute = piece.prefix { $0 != "=" }.trimmingCharacters(in: .whitespaces)
            let setting = piece.dropFirst(piece.prefix { $0 != "=" }.count + 1)
            switch attribute.lowercased() {
            case "path": path = String(setting)
            case "domain": domain = String(setting)
            case "httponly": httpOnly = true
            case "secure": secure = true
            default: break
            }
        }
    }
}

extension ExchangeRecord.Header {
    fileprivate func isNamed(_ other: String) -> Bool {
        name.caseInsensitiveCompare(other) == .orderedSame
    }
}
