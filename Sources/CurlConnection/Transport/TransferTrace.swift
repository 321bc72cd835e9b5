import CCurl
import EventRecorder
import Foundation

/// What a recording sees of one exchange; there is none while nothing is recorded.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class TransferTrace {
    private let number = EventRecorder.nextNumber()
    private let request: TransferRequest
    private let name: EventText
    private var start = Date()
    private var handshake: UInt64?
    private var connection: String?
    private var address: String?
    private var head: ResponseHead?
    private var receivedBytes: Int64 = 0
    /// Bytes behind a content coding; nil where there is none.
    private var decodedBytes: Int64?
    private var sentBytes: Int64 = 0
    private var isOnWire = false
    var failure: URLError?

    init?(_ request: TransferRequest) {
        guard EventRecorder.isRecording else { return nil }
        self.request = request
        name = EventText(method: request.method, url: request.url)
    }

    func handshakeBegins() {
        handshake = MonotonicClock.now
    }

    /// More than once where libcurl answers a challenge by itself.
    func willSend(on sockets: SocketTrace, _ descriptor: Int32?, _ ends: ConnectionEnds) {
        endRequest(nil)
        let socket = descriptor.map { sockets.ready($0, ends, handshake: handshake) } ?? 0
        isOnWire = true
        connection = "\(socket)"
        address = ends.remoteAddress
        EventRecorder.begin(.transfer, subject: number, value: Int64(socket), text: name)
    }

    func didReceive(_ head: ResponseHead) {
        self.head = head
        EventRecorder.instant(.responseHead, subject: number, value: Int64(head.statusCode))
    }

    func didReceive(bytes: Int) {
        receivedBytes += Int64(bytes)
        EventRecorder.instant(.bytesReceived, subject: number, value: Int64(bytes))
    }

    func didDecode(bytes: Int) {
        decodedBytes = (decodedBytes ?? 0) + Int64(bytes)
    }

    func didSend(bytes: Int64) {
        sentBytes += bytes
        EventRecorder.instant(.bytesSent, subject: number, value: bytes)
    }

    /// The exchange is over. One that never went out counts where it failed.
    func end(_ easy: CurlEasyHandle?) {
        guard isOnWire || failure != nil else { return }
        if !isOnWire { connection = nil }
        endRequest(easy)
    }

    private func endRequest(_ easy: CurlEasyHandle?) {
        if isOnWire {
            EventRecorder.end(
                .transfer, subject: number, value: Int64(head?.statusCode ?? 0), text: name)
        } else if failure == nil {
            return
        }
        recordExchange(easy?.timings ?? ExchangeRecord.Timings())
        isOnWire = false
        start = Date()
        head = nil
        receivedBytes = 0
        decodedBytes = nil
        sentBytes = 0
    }

    private func recordExchange(_ timings: ExchangeRecord.Timings) {
        let (number, url, method, fields) = (number, request.url, request.method, request.fields)
        let (sentBytes, receivedBytes, decodedBytes) = (sentBytes, receivedBytes, decodedBytes)
        let start = start
        let (head, address, connection, failure) = (head, address, connection, failure)
        EventRecorder.exchange(
            ExchangeRecord(
                subject: number, url: url.absoluteString, method: method, requestHeaders: fields,
                requestBodyBytes: sentBytes, status: head?.statusCode ?? 0,
                httpVersion: head?.version ?? "HTTP/1.1",
                responseHeaders: head?.fields.map { ($0.name, $0.value) } ?? [],
                responseBodyBytes: receivedBytes, responseContentBytes: decodedBytes,
                mimeType: head?.value(of: "Content-Type") ?? "", startDate: start,
                timings: timings, serverAddress: address, connection: connection,
                error: failure?.localizedDescription))
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
