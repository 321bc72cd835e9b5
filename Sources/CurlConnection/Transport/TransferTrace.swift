import CCurl
import EventRecorder
import Foundation

/// What a recording sees of one exchange; there is none while nothing is recorded.
///
/// Numbers, and few: it is part of every transfer, and what is a text is the transfer's own until the
/// end.
///
/// For the transport's thread.
struct TransferTrace: BitwiseCopyable {
    private let number = EventRecorder.nextNumber()
    private var numbers = ExchangeNumbers()
    /// When the TLS handshake began, in nanoseconds of the monotonic clock; 0 without one.
    private var handshake: UInt64 = 0
    /// Method and address, redacted as the record's will be.
    private let name: EventText
    /// The recording that keeps the texts.
    private var recording: UInt32 = 0
    private var status: Int32 = 0
    /// Whether nothing was sent on the connection before.
    private var isFirst = false
    private var hasFailed = false

    init?(of transfer: Transfer) {
        guard EventRecorder.isRecording else { return nil }
        let request = transfer.request
        name =
            request.name != .none
            ? request.name : EventText(method: request.method, url: request.url)
        numbers.start = EventRecorder.ticks
    }

    mutating func handshakeBegins() {
        handshake = MonotonicClock.now
    }

    /// More than once where libcurl answers a challenge by itself.
    mutating func willSend(_ transfer: Transfer, on descriptor: Int32?, _ ends: ConnectionEnds) {
        let sockets = transfer.transport.socketTrace
        if numbers.sent > 0 {
            endRequest(of: transfer, nil)
            numbers = ExchangeNumbers()
            numbers.start = EventRecorder.ticks
            status = 0
        }
        let socket =
            descriptor.map {
                sockets.ready($0, ends, handshake: handshake > 0 ? handshake : nil)
            } ?? SocketTrace.Use()
        (numbers.socket, numbers.server, isFirst) = (socket.number, socket.name, socket.isNew)
        numbers.sent = EventRecorder.ticks
        EventRecorder.begin(
            .transfer, subject: number, value: Int64(socket.number), text: name)
    }

    /// The texts are kept now, for who has just made them has them at hand.
    mutating func didReceive(_ head: ResponseHead, _ transfer: Transfer) {
        numbers.answered = EventRecorder.ticks
        EventRecorder.instant(.responseHead, subject: number, value: Int64(head.statusCode))
        status = Int32(clamping: head.statusCode)
        keep(head, of: transfer)
    }

    private mutating func keep(
        _ head: ResponseHead, of transfer: Transfer, failure: String = ""
    ) {
        let texts = transfer.transport.socketTrace.exchangeTexts
        numbers.texts = texts.keep(head, transfer.request.fields, failure)
        recording = texts.recording
    }

    mutating func didReceive(bytes: Int) {
        numbers.receivedBytes += Int64(bytes)
        EventRecorder.instant(.bytesReceived, subject: number, value: Int64(bytes))
    }

    mutating func didDecode(bytes: Int) {
        numbers.decodedBytes = max(0, numbers.decodedBytes) + Int64(bytes)
    }

    mutating func didSend(bytes: Int64) {
        numbers.sentBytes += bytes
        EventRecorder.instant(.bytesSent, subject: number, value: bytes)
    }

    mutating func fail(_ transfer: Transfer, with error: URLError) {
        hasFailed = true
        transfer.transport.socketTrace.failures[number] = error.localizedDescription
    }

    /// The exchange is over. One that never went out counts where it failed.
    mutating func end(_ transfer: Transfer) {
        guard numbers.sent > 0 || hasFailed else { return }
        endRequest(of: transfer, transfer.easy)
    }

    private mutating func endRequest(of transfer: Transfer, _ easy: CurlEasyHandle?) {
        if numbers.answered == 0 || hasFailed || recording != EventRecorder.generation {
            let sockets = transfer.transport.socketTrace
            keep(
                transfer.parser.head ?? ResponseHead(version: "HTTP/1.1", statusCode: 0),
                of: transfer, failure: sockets.failures.removeValue(forKey: number) ?? "")
        }
        EventRecorder.exchange(
            number, status: Int(status), name: name, numbers,
            isFirst ? easy.flatMap(ConnectingTimes.init) : nil, of: recording)
    }
}

extension ConnectingTimes {
    /// As libcurl measured it. Nil where another exchange has made the connection.
    fileprivate init?(_ easy: CurlEasyHandle) {
        guard easy.long(CURLINFO_NUM_CONNECTS) > 0 else { return nil }
        self.init(
            lookUp: easy.offset(CURLINFO_NAMELOOKUP_TIME_T),
            connected: easy.offset(CURLINFO_CONNECT_TIME_T),
            secured: easy.offset(CURLINFO_APPCONNECT_TIME_T))
    }
}
