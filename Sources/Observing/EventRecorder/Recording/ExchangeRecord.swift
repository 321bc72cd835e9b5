public import Foundation

/// One HTTP exchange: a request and its response, or an error instead.
///
/// Secrets are redacted when the record is made: credentials in header fields, cookie values, user
/// information and secret values in URLs. Bodies are counted, not stored.
public struct ExchangeRecord: Sendable, Equatable, Codable {
    /// A header field.
    public struct Header: Sendable, Hashable, Codable {
        /// Its name, as it was sent.
        public let name: String
        /// Its value, redacted.
        public let value: String
    }

    /// How long the parts of an exchange took, in milliseconds; nil where it is not known or does
    /// not apply. They do not overlap: `connect` is without the handshake.
    public struct Timings: Sendable, Hashable, Codable {
        /// Waiting for a connection.
        public var blocked: Double?
        /// Looking up the host's name.
        public var dns: Double?
        /// Connecting, without the TLS handshake.
        public var connect: Double?
        /// The TLS handshake.
        public var ssl: Double?
        /// Sending the request.
        public var send: Double?
        /// Waiting for the response's first byte.
        public var wait: Double?
        /// Receiving the response.
        public var receive: Double?

        /// Makes timings.
        public init(
            blocked: Double? = nil, dns: Double? = nil, connect: Double? = nil, ssl: Double? = nil,
            send: Double? = nil, wait: Double? = nil, receive: Double? = nil
        ) {
            (self.blocked, self.dns, self.connect, self.ssl) = (blocked, dns, connect, ssl)
            (self.send, self.wait, self.receive) = (send, wait, receive)
        }
    }

    /// The transfer, task or operation, as in ``Event/subject``; 0 where unknown.
    public var subject: UInt64
    /// The URL, redacted.
    public internal(set) var url: String
    /// The method.
    public internal(set) var method: String
    /// The request's header fields, redacted.
    public internal(set) var requestHeaders: [Header]
    /// Bytes of the request's body.
    public internal(set) var requestBodyBytes: Int64
    /// The response's status; 0 if there was no response.
    public internal(set) var status: Int
    /// The status in words.
    public internal(set) var statusText: String
    /// The protocol, such as "HTTP/1.1".
    public internal(set) var httpVersion: String
    /// The response's header fields, redacted.
    public internal(set) var responseHeaders: [Header]
    /// Bytes of the response's body as received.
    public internal(set) var responseBodyBytes: Int64
    /// Bytes of the response's body after decoding its content coding; nil without one, or where
    /// that is not known.
    public internal(set) var responseContentBytes: Int64?
    /// The response's content type.
    public internal(set) var mimeType: String
    /// When it began, in whole milliseconds.
    public internal(set) var startDate: Date
    /// How long its parts took.
    public internal(set) var timings: Timings
    /// The server's IP address.
    public internal(set) var serverAddress: String?
    /// The connection, the same text for each exchange on it.
    public internal(set) var connection: String?
    /// Why there is no response, or not a complete one; redacted.
    public internal(set) var error: String?
    /// Left out of files where it is false.
    var leftOut: Bool?
    /// Whether its URL, or its header fields and error, were left out because they exceeded the
    /// limit (``Recording/textsLeftOut``).
    public var isIncomplete: Bool { leftOut == true }

    /// Makes a record and redacts it.
    public init(
        subject: UInt64 = 0, url: String, method: String,
        requestHeaders: [(name: String, value: String)] = [], requestBodyBytes: Int64 = 0,
        status: Int = 0, statusText: String = "", httpVersion: String = "HTTP/1.1",
        responseHeaders: [(name: String, value: String)] = [], responseBodyBytes: Int64 = 0,
        responseContentBytes: Int64? = nil, mimeType: String = "", startDate: Date,
        timings: Timings = Timings(), serverAddress: String? = nil, connection: String? = nil,
        error: String? = nil
    ) {
        self.subject = subject
        self.url = Redaction.address(url)
        self.method = method
        self.requestHeaders = Self.headers(requestHeaders)
        self.requestBodyBytes = requestBodyBytes
        (self.status, self.statusText, self.httpVersion) = (status, statusText, httpVersion)
        self.responseHeaders = Self.headers(responseHeaders)
        self.responseBodyBytes = responseBodyBytes
        self.responseContentBytes = responseContentBytes
        self.mimeType = mimeType
        self.startDate = Timestamp.inMilliseconds(startDate)
        self.timings = timings
        (self.serverAddress, self.connection) = (serverAddress, connection)
        self.error = error.map(Redaction.text)
    }

    private static func headers(_ fields: [(name: String, value: String)]) -> [Header] {
        Redaction.fields(fields).map { Header(name: $0.name, value: $0.value) }
    }
}
