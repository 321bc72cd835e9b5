import EventRecorder
import Foundation

/// What a recording sees of one exchange; there is none while nothing is recorded.
///
/// Numbers, and few: it is part of every transfer. Its texts are in the transport's `SocketTrace`.
///
/// For the transport's thread.
struct TransferTrace: BitwiseCopyable {
    private let number = EventRecorder.nextNumber()
    private var numbers = ExchangeNumbers()
    /// The transport's, which outlives its transfers; references to it are not counted.
    private let sockets: Unmanaged<SocketTrace>
    /// When the TLS handshake began, in nanoseconds of the monotonic clock; 0 without one.
    private var handshake: UInt64 = 0
    /// Method and address, redacted as the record's will be.
    private let name: EventText
    /// The recording that keeps the texts, and the one that has the server's.
    private var recording: UInt32 = 0
    private var recordingOfServer: UInt32 = 0
    /// The request's fields, by their number among the texts.
    private let fields: UInt32
    private var status: Int32 = 0
    /// Whether nothing was sent on the connection before.
    private var isFirst = false
    private var hasFailed = false
    /// How long names were looked up, in microseconds; libcurl's times do not have it.
    private var lookUp: Int64 = 0

    init(of transfer: Transfer, _ sockets: Unmanaged<SocketTrace>) {
        self.sockets = sockets
        let name = transfer.request.name
        let isUsable = !name.isNone && name.isOf(EventRecorder.recording)
        self.name = isUsable ? name : Self.name(of: transfer.request)
        fields = sockets._withUnsafeGuaranteedRef {
            $0.exchangeTexts.number(of: transfer.request.fields)
        }
        numbers.start = EventRecorder.ticks
    }

    @inline(never)
    private static func name(of request: TransferRequest) -> EventText {
        EventText(method: request.method, url: request.url)
    }

    mutating func lookedUp(since start: UInt64) {
        lookUp += Int64((MonotonicClock.now - start) / 1_000)
    }

    mutating func handshakeBegins() {
        handshake = MonotonicClock.now
    }

    /// More than once where libcurl answers a challenge by itself.
    mutating func willSend(_ transfer: Transfer, on descriptor: Int32?, _ ends: ConnectionEnds) {
        if numbers.sent > 0 { beginAgain(transfer) }
        if let descriptor {
            let socket = sockets._withUnsafeGuaranteedRef {
                $0.ready(descriptor, ends, handshake: handshake)
            }
            (numbers.socket, isFirst) = (socket.number, socket.isNew)
            numbers.set(server: socket.name)
            recordingOfServer = EventRecorder.recording
        }
        numbers.sent = EventRecorder.time(
            of: .transfer, .begin, subject: number, value: Int64(numbers.socket), text: name)
    }

    @inline(never)
    private mutating func beginAgain(_ transfer: Transfer) {
        endRequest(of: transfer, nil)
        numbers = ExchangeNumbers()
        numbers.start = EventRecorder.ticks
        status = 0
        isFirst = false
    }

    /// The texts are kept now, for who has just made them has them at hand.
    mutating func didReceive(_ head: ResponseHead, _ transfer: Transfer) {
        status = Int32(clamping: head.statusCode)
        numbers.answered = EventRecorder.time(
            of: .responseHead, .instant, subject: number, value: Int64(status))
        keep(head, transfer.request.fields, "")
    }

    private mutating func keep(
        _ head: ResponseHead, _ fields: ExchangeHeads.Fields, _ failure: String
    ) {
        sockets._withUnsafeGuaranteedRef {
            numbers.texts = $0.exchangeTexts.keep(head, fields, self.fields, failure)
            recording = $0.exchangeTexts.recording
        }
        if recordingOfServer != recording { numbers.forgetServer() }
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

    mutating func fail(with error: URLError) {
        hasFailed = true
        sockets._withUnsafeGuaranteedRef { $0.failures[number] = error.localizedDescription }
    }

    /// The exchange is over. One that never went out counts where it failed.
    ///
    /// Mostly all is known by now but the time.
    mutating func end(_ transfer: Transfer) {
        if numbers.answered > 0, !hasFailed, !isFirst,
            EventRecorder.repeatedExchange(
                number, status: Int64(status), name: name, numbers, of: recording)
        {
            return
        }
        endSlowly(transfer)
    }

    @inline(never)
    private mutating func endSlowly(_ transfer: Transfer) {
        if numbers.sent > 0 || hasFailed { endRequest(of: transfer, transfer.easy) }
    }

    private mutating func endRequest(of transfer: Transfer, _ easy: CurlEasyHandle?) {
        if numbers.answered == 0 || hasFailed || recording != EventRecorder.recording {
            let failure = sockets._withUnsafeGuaranteedRef {
                $0.failures.removeValue(forKey: number)
            }
            keep(
                transfer.reception.head ?? ResponseHead(version: "HTTP/1.1", statusCode: 0),
                transfer.request.fields, failure ?? "")
        }
        EventRecorder.exchange(
            number, status: Int(status), name: name, numbers,
            isFirst ? easy.flatMap { ConnectingTimes($0, lookUp: lookUp) } : nil, of: recording)
    }
}

extension ConnectingTimes {
    /// As libcurl measured it. Nil where another exchange has made the connection.
    fileprivate init?(_ easy: CurlEasyHandle, lookUp: Int64) {
        guard easy.connectionsMade > 0 else { return nil }
        let secured = easy.secureTime
        self.init(
            lookUp: lookUp + easy.nameLookUpTime,
            connected: lookUp + easy.connectTime,
            secured: secured > 0 ? lookUp + secured : 0)
    }
}
