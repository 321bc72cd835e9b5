import CCurl
import EventRecorder
import Foundation

/// What a recording sees of one exchange; there is none while nothing is recorded.
///
/// Numbers alone, and few: it is part of every transfer, and what is a text is the transfer's own
/// until the end.
///
/// For the transport's thread.
struct TransferTrace {
    private let number = EventRecorder.nextNumber()
    /// Method and address, redacted as the record's will be.
    private let name: EventText
    private var start = Date().timeIntervalSinceReferenceDate
    /// When the TLS handshake began, in nanoseconds of the monotonic clock.
    private var handshake: UInt64?
    private var socket: SocketTrace.Use?
    private var sent: UInt64 = 0
    private var answered: UInt64?
    private var sentBytes: Int64 = 0
    private var receivedBytes: Int64 = 0
    /// Bytes behind a content coding; nil where there is none.
    private var decodedBytes: Int64?
    private var failure = EventText.none

    init?(_ request: TransferRequest) {
        guard EventRecorder.isRecording else { return nil }
        name = RequestName.text(
            method: request.method, url: request.url, likely: request.name)
    }

    mutating func handshakeBegins() {
        handshake = MonotonicClock.now
    }

    /// More than once where libcurl answers a challenge by itself.
    mutating func willSend(_ transfer: Transfer, on descriptor: Int32?, _ ends: ConnectionEnds) {
        let sockets = transfer.transport.socketTrace
        if socket != nil {
            endRequest(of: transfer, sockets, nil)
            beginAgain()
        }
        let socket =
            descriptor.map { sockets.ready($0, ends, handshake: handshake) } ?? SocketTrace.Use()
        self.socket = socket
        sent = EventRecorder.ticks
        EventRecorder.begin(
            .transfer, subject: number, value: Int64(socket.number), text: name)
    }

    private mutating func beginAgain() {
        start = Date().timeIntervalSinceReferenceDate
        answered = nil
        sentBytes = 0
        receivedBytes = 0
        decodedBytes = nil
    }

    mutating func didReceive(_ head: ResponseHead) {
        answered = EventRecorder.ticks
        EventRecorder.instant(.responseHead, subject: number, value: Int64(head.statusCode))
    }

    mutating func didReceive(bytes: Int) {
        receivedBytes += Int64(bytes)
        EventRecorder.instant(.bytesReceived, subject: number, value: Int64(bytes))
    }

    mutating func didDecode(bytes: Int) {
        decodedBytes = (decodedBytes ?? 0) + Int64(bytes)
    }

    mutating func didSend(bytes: Int64) {
        sentBytes += bytes
        EventRecorder.instant(.bytesSent, subject: number, value: bytes)
    }

    mutating func fail(with error: URLError) {
        failure = EventText(error.localizedDescription)
    }

    /// The exchange is over. One that never went out counts where it failed.
    ///
    /// Mutating, though it changes nothing: else who holds an optional one would copy it for the call.
    mutating func end(_ transfer: Transfer) {
        guard socket != nil || failure != .none else { return }
        endRequest(of: transfer, transfer.transport.socketTrace, transfer.easy)
    }

    private func endRequest(
        of transfer: Transfer, _ sockets: SocketTrace, _ easy: CurlEasyHandle?
    ) {
        let head = transfer.parser.head ?? ResponseHead(version: "HTTP/1.1", statusCode: 0)
        if socket != nil {
            EventRecorder.end(
                .transfer, subject: number, value: Int64(head.statusCode), text: name)
        }
        sockets.exchangeTexts.become(head, transfer.request.fields)
        withUnsafeBytes(of: numbers(easy)) {
            EventRecorder.exchange(
                Self.kind, $0, sockets.exchangeTexts.bytes, number: sockets.exchangeTexts.number)
        }
    }

    // MARK: Kept until the recording stops

    /// All of an exchange that is a number.
    private struct Numbers {
        let transfer: UInt64
        let name: UInt32
        let failure: UInt32
        let server: UInt32
        let start: TimeInterval
        let sent: UInt64
        let answered: UInt64?
        let ended: UInt64
        let sentBytes: Int64
        let receivedBytes: Int64
        let decodedBytes: Int64?
        let socket: UInt64?
        let connecting: ConnectingTimes?
    }

    private func numbers(_ easy: CurlEasyHandle?) -> Numbers {
        Numbers(
            transfer: number, name: name.number, failure: failure.number,
            server: socket?.name.number ?? 0, start: start, sent: sent, answered: answered,
            ended: EventRecorder.ticks, sentBytes: sentBytes, receivedBytes: receivedBytes,
            decodedBytes: decodedBytes, socket: socket?.number,
            connecting: socket?.isNew == true ? easy.flatMap(ConnectingTimes.init) : nil)
    }

    private static let kind = ExchangeKind { record(from: &$0) }

    private static func record(from flat: inout FlatBytesReader) -> ExchangeRecord {
        let numbers: Numbers = flat.next()
        let (head, fields) = ExchangeTexts.read(&flat)
        // "GET http://host/path", and "127.0.0.1:80" or "::1:80".
        let name = EventText(number: numbers.name).string.split(separator: " ", maxSplits: 1)
        let server = EventText(number: numbers.server).string
        let failure = EventText(number: numbers.failure).string
        var timings = numbers.connecting?.timings ?? ExchangeRecord.Timings()
        if let answered = numbers.answered {
            timings.send = 0
            timings.wait = flat.milliseconds(from: numbers.sent, to: answered)
            timings.receive = flat.milliseconds(from: answered, to: numbers.ended)
        }
        return ExchangeRecord(
            subject: numbers.transfer, url: name.count == 2 ? String(name[1]) : "",
            method: name.first.map(String.init) ?? "", requestHeaders: fields,
            requestBodyBytes: numbers.sentBytes, status: head.statusCode,
            httpVersion: head.version,
            responseHeaders: head.fields.map { ($0.name, $0.value) },
            responseBodyBytes: numbers.receivedBytes, responseContentBytes: numbers.decodedBytes,
            mimeType: head.value(of: "Content-Type") ?? "",
            startDate: Date(timeIntervalSinceReferenceDate: numbers.start), timings: timings,
            serverAddress: server.lastIndex(of: ":").map { String(server[..<$0]) },
            connection: numbers.socket.map { "\($0)" }, error: failure.isEmpty ? nil : failure)
    }
}

/// When the phases of making a connection ended, as libcurl measured it: microseconds from the
/// exchange's start; 0 for a phase that was not.
private struct ConnectingTimes {
    private let lookUp: Int64
    private let connected: Int64
    private let secured: Int64

    /// Nil where another exchange has made the connection.
    init?(_ easy: CurlEasyHandle) {
        guard easy.long(CURLINFO_NUM_CONNECTS) > 0 else { return nil }
        lookUp = easy.offset(CURLINFO_NAMELOOKUP_TIME_T)
        connected = easy.offset(CURLINFO_CONNECT_TIME_T)
        secured = easy.offset(CURLINFO_APPCONNECT_TIME_T)
    }

    /// How long each took, in milliseconds.
    var timings: ExchangeRecord.Timings {
        // Each time is from the start to the end of a phase.
        func span(_ from: Int64, _ to: Int64) -> Double? {
            to > 0 && to >= from ? Double(to - from) / 1000 : nil
        }
        return ExchangeRecord.Timings(
            dns: span(0, lookUp), connect: span(lookUp, connected), ssl: span(connected, secured))
    }
}
