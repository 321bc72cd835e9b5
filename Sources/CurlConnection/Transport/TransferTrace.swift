import CCurl
import EventRecorder
import Foundation

/// What a recording sees of one exchange; there is none while nothing is recorded.
///
/// For the transport's thread.
struct TransferTrace {
    private let number = EventRecorder.nextNumber()
    private let name: EventText
    private var handshake: UInt64?
    private var isOnWire = false
    private var exchange: RecordedExchange
    var failure: URLError?

    init?(_ request: TransferRequest) {
        guard EventRecorder.isRecording else { return nil }
        name = EventText(method: request.method, url: request.url)
        exchange = RecordedExchange(number, request.url, request.method, request.fields)
    }

    mutating func handshakeBegins() {
        handshake = MonotonicClock.now
    }

    /// More than once where libcurl answers a challenge by itself.
    mutating func willSend(on sockets: SocketTrace, _ descriptor: Int32?, _ ends: ConnectionEnds) {
        if isOnWire {
            endRequest(nil)
            exchange = RecordedExchange(again: exchange)
        }
        let socket = descriptor.map { sockets.ready($0, ends, handshake: handshake) } ?? 0
        isOnWire = true
        exchange.socket = socket
        exchange.address = ends.remoteAddress
        EventRecorder.begin(.transfer, subject: number, value: Int64(socket), text: name)
    }

    func didReceive(_ head: ResponseHead) {
        exchange.head = head
        EventRecorder.instant(.responseHead, subject: number, value: Int64(head.statusCode))
    }

    func didReceive(bytes: Int) {
        exchange.receivedBytes += Int64(bytes)
        EventRecorder.instant(.bytesReceived, subject: number, value: Int64(bytes))
    }

    func didDecode(bytes: Int) {
        exchange.decodedBytes = (exchange.decodedBytes ?? 0) + Int64(bytes)
    }

    func didSend(bytes: Int64) {
        exchange.sentBytes += bytes
        EventRecorder.instant(.bytesSent, subject: number, value: bytes)
    }

    /// The exchange is over. One that never went out counts where it failed.
    func end(_ easy: CurlEasyHandle?) {
        if isOnWire || failure != nil { endRequest(easy) }
    }

    private func endRequest(_ easy: CurlEasyHandle?) {
        if isOnWire {
            EventRecorder.end(
                .transfer, subject: number, value: Int64(exchange.head?.statusCode ?? 0),
                text: name)
        }
        exchange.timings = easy?.timings
        exchange.failure = failure
        let exchange = exchange
        EventRecorder.exchange(exchange.record)
    }
}

/// What a record of an exchange is made from, when the recording stops.
///
/// An object, so that the recorder keeps it and copies nothing.
///
/// ## Concurrency
/// Call from: the transport's thread until it is handed over, then the recorder. Lock: none.
private final class RecordedExchange: @unchecked Sendable {
    // @unchecked because nobody changes it once it is handed over.
    private let number: UInt64
    private let url: URL
    private let method: String
    private let fields: [(name: String, value: String)]
    private let start = Date()
    var socket: UInt64?
    var address: String?
    var head: ResponseHead?
    var sentBytes: Int64 = 0
    var receivedBytes: Int64 = 0
    /// Bytes behind a content coding; nil where there is none.
    var decodedBytes: Int64?
    var timings: ExchangeRecord.Timings?
    var failure: URLError?

    init(
        _ number: UInt64, _ url: URL, _ method: String, _ fields: [(name: String, value: String)]
    ) {
        self.number = number
        self.url = url
        self.method = method
        self.fields = fields
    }

    /// The same request, sent once more.
    convenience init(again other: RecordedExchange) {
        self.init(other.number, other.url, other.method, other.fields)
    }

    var record: ExchangeRecord {
        ExchangeRecord(
            subject: number, url: url.absoluteString, method: method, requestHeaders: fields,
            requestBodyBytes: sentBytes, status: head?.statusCode ?? 0,
            httpVersion: head?.version ?? "HTTP/1.1",
            responseHeaders: head?.fields.map { ($0.name, $0.value) } ?? [],
            responseBodyBytes: receivedBytes, responseContentBytes: decodedBytes,
            mimeType: head?.value(of: "Content-Type") ?? "", startDate: start,
            timings: timings ?? ExchangeRecord.Timings(), serverAddress: address,
            connection: socket.map { "\($0)" }, error: failure?.localizedDescription)
    }
}

extension CurlEasyHandle {
    /// How long each phase took, in milliseconds, as libcurl measured it.
    fileprivate var timings: ExchangeRecord.Timings {
        // Each is the time from the start to the end of a phase, in microseconds; 0: it was not.
        let lookUp = offset(CURLINFO_NAMELOOKUP_TIME_T)
        let connected = offset(CURLINFO_CONNECT_TIME_T)
        let secured = offset(CURLINFO_APPCONNECT_TIME_T)
        let sending = offset(CURLINFO_PRETRANSFER_TIME_T)
        let answering = offset(CURLINFO_STARTTRANSFER_TIME_T)
        let total = offset(CURLINFO_TOTAL_TIME_T)
        func span(_ from: Int64, _ to: Int64) -> Double? {
            to > 0 && to >= from ? Double(to - from) / 1000 : nil
        }
        let isNew = long(CURLINFO_NUM_CONNECTS) > 0
        return ExchangeRecord.Timings(
            blocked: nil, dns: isNew ? span(0, lookUp) : nil,
            connect: isNew ? span(lookUp, connected) : nil,
            ssl: isNew ? span(connected, secured) : nil, send: 0,
            wait: span(sending, answering), receive: span(answering, total))
    }
}
