import EventRecorder
import Foundation
import HTTPSemantics

/// Records one exchange; there is none while nothing is recorded.
///
/// It is part of every transfer, so it has few numbers and no references. Its texts are in the
/// transport's `SocketTrace`.
struct TransferTrace: BitwiseCopyable {
    private var exchange: Exchange
    /// The transport's, which exists longer than its transfers.
    private let sockets: Unmanaged<SocketTrace>
    /// The recording that has the texts.
    private var recording: UInt32 = 0
    /// The request's fields, by their number among the texts.
    private let fields: UInt32
    /// Whether nothing was sent on the connection before.
    private var isFirst = false
    private var hasFailed = false

    /// - Parameter name: the request's, where a recording has it already.
    init(
        name: EventText, method: String, url: URL, fields: HeaderFields, _ sockets: SocketTrace
    ) {
        self.sockets = .passUnretained(sockets)
        self.fields = sockets.exchangeTexts.number(of: fields)
        let isUsable = !name.isNone && name.isOf(EventRecorder.recording)
        exchange = Exchange(
            EventRecorder.nextNumber(), name: isUsable ? name : EventText(method: method, url: url))
    }

    /// A request is about to be sent: again where libcurl answers a challenge by itself.
    ///
    /// - Parameters:
    ///   - head: the challenge's.
    ///   - fields: the request's.
    ///   - handshake: when its TLS handshake began, in nanoseconds of the monotonic clock; 0 without one.
    mutating func willSend(
        on descriptor: Int32?, _ ends: ConnectionEnds, after head: ResponseHead?,
        _ fields: HeaderFields, handshake: UInt64
    ) {
        if exchange.sent > 0 {
            endRequest(head, fields, nil)
            exchange = Exchange(exchange.transfer, name: exchange.name)
            isFirst = false
        }
        if let descriptor {
            let socket = sockets._withUnsafeGuaranteedRef {
                $0.ready(descriptor, ends, handshake: handshake)
            }
            (exchange.socket, exchange.server) = (socket.number, socket.name)
            isFirst = socket.isNew
        }
        exchange.sent = EventRecorder.note(
            .transfer, .begin, subject: exchange.transfer, value: Int64(exchange.socket),
            text: exchange.name)
    }

    /// Records the texts now, while they are in the processor's cache.
    mutating func didReceive(_ head: ResponseHead, _ fields: HeaderFields) {
        exchange.status = head.statusCode
        exchange.answered = EventRecorder.note(
            .responseHead, .instant, subject: exchange.transfer, value: Int64(head.statusCode))
        keep(head, fields, "")
    }

    private mutating func keep(
        _ head: ResponseHead, _ fields: HeaderFields, _ failure: String
    ) {
        sockets._withUnsafeGuaranteedRef {
            exchange.texts = $0.exchangeTexts.keep(head, fields, self.fields, failure)
            recording = $0.exchangeTexts.recording
        }
    }

    mutating func didReceive(bytes: Int) {
        exchange.receivedBytes += Int64(bytes)
        EventRecorder.instant(.bytesReceived, subject: exchange.transfer, value: Int64(bytes))
    }

    mutating func didDecode(bytes: Int) {
        exchange.decodedBytes = max(0, exchange.decodedBytes) + Int64(bytes)
    }

    mutating func didSend(bytes: Int64) {
        exchange.sentBytes += bytes
        EventRecorder.instant(.bytesSent, subject: exchange.transfer, value: bytes)
    }

    mutating func fail(with error: URLError) {
        hasFailed = true
        sockets._withUnsafeGuaranteedRef {
            $0.failures[exchange.transfer] = error.localizedDescription
        }
    }

    /// The exchange is over. Without a request it is recorded only where it failed.
    mutating func end(_ head: ResponseHead?, _ fields: HeaderFields, _ times: ExchangeTimes) {
        if exchange.sent > 0 || hasFailed { endRequest(head, fields, times) }
    }

    private mutating func endRequest(
        _ head: ResponseHead?, _ fields: HeaderFields, _ times: ExchangeTimes?
    ) {
        if exchange.answered == 0 || hasFailed || recording != EventRecorder.recording {
            let failure = sockets._withUnsafeGuaranteedRef {
                $0.failures.removeValue(forKey: exchange.transfer)
            }
            keep(
                head ?? ResponseHead(version: "HTTP/1.1", statusCode: 0), fields, failure ?? "")
        }
        let connecting = isFirst ? times.flatMap { ExchangeRecord.Timings($0) } : nil
        EventRecorder.exchange(exchange, connecting, of: recording)
    }
}

extension ExchangeRecord.Timings {
    /// The times of making the connection; nil where another exchange made it.
    fileprivate init?(_ times: ExchangeTimes) {
        guard times.connectEnd > 0 else { return nil }
        func milliseconds(_ from: UInt64, _ to: UInt64) -> Double? {
            from > 0 && to >= from ? Double(to - from) / 1e6 : nil
        }
        let isSecure = times.secureStart > 0
        self.init(
            dns: milliseconds(times.lookUpStart, times.lookUpEnd),
            connect: milliseconds(
                times.connectStart, isSecure ? times.secureStart : times.connectEnd),
            ssl: isSecure ? milliseconds(times.secureStart, times.connectEnd) : nil)
    }
}
