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
        exchange = RecordedExchange(number, request.method, name, request.fields)
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
        exchange.server = ends.remoteAddress
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
        exchange.times = easy?.phaseTimes
        exchange.failure = failure
        EventRecorder.exchange(exchange)
    }
}

/// What a record of an exchange is made from, when the recording stops.
///
/// It is kept until then, so it is small, and keeps little: what is held here is not there for the
/// next exchange.
///
/// ## Concurrency
/// Call from: the transport's thread until it is handed over, then the recorder. Lock: none.
private final class RecordedExchange: UnfinishedRecord, @unchecked Sendable {
    // @unchecked because nobody changes it once it is handed over.
    private let number: UInt64
    private let method: String
    /// Method and address, redacted as the record's will be.
    private let name: EventText
    private let fields: [(name: String, value: String)]
    private let start = Date()
    var socket: UInt64?
    var server: String?
    var head: ResponseHead?
    var sentBytes: Int64 = 0
    var receivedBytes: Int64 = 0
    /// Bytes behind a content coding; nil where there is none.
    var decodedBytes: Int64?
    var times: PhaseTimes?
    var failure: URLError?

    init(
        _ number: UInt64, _ method: String, _ name: EventText,
        _ fields: [(name: String, value: String)]
    ) {
        self.number = number
        self.method = method
        self.name = name
        self.fields = fields
    }

    /// The same request, sent once more.
    convenience init(again other: RecordedExchange) {
        self.init(other.number, other.method, other.name, other.fields)
    }

    private var address: String { String(name.string.dropFirst(method.count + 1)) }

    var record: ExchangeRecord {
        ExchangeRecord(
            subject: number, url: address, method: method, requestHeaders: fields,
            requestBodyBytes: sentBytes, status: head?.statusCode ?? 0,
            httpVersion: head?.version ?? "HTTP/1.1",
            responseHeaders: head?.fields.map { ($0.name, $0.value) } ?? [],
            responseBodyBytes: receivedBytes, responseContentBytes: decodedBytes,
            mimeType: head?.value(of: "Content-Type") ?? "", startDate: start,
            timings: times?.timings ?? ExchangeRecord.Timings(), serverAddress: server,
            connection: socket.map { "\($0)" }, error: failure?.localizedDescription)
    }
}

/// When the phases of an exchange ended, as libcurl measured it: microseconds from the start; 0 for
/// a phase that was not.
private struct PhaseTimes {
    let isNew: Bool
    let lookUp: Int64
    let connected: Int64
    let secured: Int64
    let sending: Int64
    let answering: Int64
    let total: Int64

    /// How long each took, in milliseconds.
    var timings: ExchangeRecord.Timings {
        func span(_ from: Int64, _ to: Int64) -> Double? {
            to > 0 && to >= from ? Double(to - from) / 1000 : nil
        }
        return ExchangeRecord.Timings(
            blocked: nil, dns: isNew ? span(0, lookUp) : nil,
            connect: isNew ? span(lookUp, connected) : nil,
            ssl: isNew ? span(connected, secured) : nil, send: 0,
            wait: span(sending, answering), receive: span(answering, total))
    }
}

extension CurlEasyHandle {
    fileprivate var phaseTimes: PhaseTimes {
        PhaseTimes(
            isNew: long(CURLINFO_NUM_CONNECTS) > 0,
            lookUp: offset(CURLINFO_NAMELOOKUP_TIME_T),
            connected: offset(CURLINFO_CONNECT_TIME_T),
            secured: offset(CURLINFO_APPCONNECT_TIME_T),
            sending: offset(CURLINFO_PRETRANSFER_TIME_T),
            answering: offset(CURLINFO_STARTTRANSFER_TIME_T),
            total: offset(CURLINFO_TOTAL_TIME_T))
    }
}
