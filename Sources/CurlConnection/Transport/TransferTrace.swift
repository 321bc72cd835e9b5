import CCurl
import EventRecorder
import Foundation

/// What a recording sees of one exchange; there is none while nothing is recorded.
///
/// Numbers, and few: it is part of every transfer, and what is a text is the transfer's own until the
/// end, but for an error's.
///
/// For the transport's thread.
struct TransferTrace {
    private let number = EventRecorder.nextNumber()
    /// Method and address, redacted as the record's will be.
    private let name: EventText
    private var start = EventRecorder.ticks
    /// When the TLS handshake began, in nanoseconds of the monotonic clock.
    private var handshake: UInt64?
    private var socket: SocketTrace.Use?
    private var sent: UInt64 = 0
    private var answered: UInt64 = 0
    private var sentBytes: Int64 = 0
    private var receivedBytes: Int64 = 0
    /// Bytes behind a content coding; below 0 where there is none.
    private var decodedBytes: Int64 = -1
    private var failure = ""

    init?(of transfer: Transfer) {
        guard EventRecorder.isRecording else { return nil }
        name = RequestName.text(
            method: transfer.request.method, url: transfer.request.url,
            likely: transfer.request.name)
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
        start = EventRecorder.ticks
        answered = 0
        sentBytes = 0
        receivedBytes = 0
        decodedBytes = -1
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
        decodedBytes = max(0, decodedBytes) + Int64(bytes)
    }

    mutating func didSend(bytes: Int64) {
        sentBytes += bytes
        EventRecorder.instant(.bytesSent, subject: number, value: bytes)
    }

    mutating func fail(with error: URLError) {
        failure = error.localizedDescription
    }

    /// The exchange is over. One that never went out counts where it failed.
    ///
    /// Mutating, though it changes nothing: else who holds an optional one would copy it for the call.
    mutating func end(_ transfer: Transfer) {
        guard socket != nil || !failure.isEmpty else { return }
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
        sockets.exchangeTexts.become(head, transfer.request.fields, failure)
        let numbers = Numbers(self, ended: EventRecorder.ticks)
        if socket?.isNew == true, let times = easy.flatMap(ConnectingTimes.init) {
            keep(Connecting(numbers: numbers, times: times), Connecting.kind, sockets)
        } else {
            keep(numbers, Numbers.kind, sockets)
        }
    }

    private func keep(
        _ numbers: some BitwiseCopyable, _ kind: ExchangeKind, _ sockets: SocketTrace
    ) {
        withUnsafeBytes(of: numbers) {
            EventRecorder.exchange(
                kind, $0, sockets.exchangeTexts.bytes, number: sockets.exchangeTexts.number)
        }
    }

    // MARK: Kept until the recording stops

    /// All of an exchange that is a number; small, for a recording has one for each.
    private struct Numbers {
        private let transfer: UInt64
        private let socket: UInt64
        /// In ticks; 0 for what was not.
        private let start, sent, answered, ended: UInt64
        private let sentBytes, receivedBytes, decodedBytes: Int64
        private let name, server: UInt32

        init(_ trace: TransferTrace, ended: UInt64) {
            (transfer, name) = (trace.number, trace.name.number)
            socket = trace.socket?.number ?? 0
            server = trace.socket?.name.number ?? 0
            (start, sent, answered) = (trace.start, trace.sent, trace.answered)
            self.ended = ended
            (sentBytes, receivedBytes) = (trace.sentBytes, trace.receivedBytes)
            decodedBytes = trace.decodedBytes
        }

        static let kind = ExchangeKind { flat in
            let numbers: Numbers = flat.next()
            return numbers.record(nil, &flat)
        }

        /// - Parameter phases: those of making the connection, if this exchange made it.
        func record(
            _ phases: ExchangeRecord.Timings?, _ flat: inout FlatBytesReader
        ) -> ExchangeRecord {
            let (head, fields, failure) = ExchangeTexts.read(&flat)
            // "GET http://host/path", and "127.0.0.1:80" or "::1:80".
            let name = EventText(number: name).string.split(separator: " ", maxSplits: 1)
            let server = EventText(number: server).string
            var timings = phases ?? ExchangeRecord.Timings()
            if answered > 0 {
                timings.send = 0
                timings.wait = flat.milliseconds(from: sent, to: answered)
                timings.receive = flat.milliseconds(from: answered, to: ended)
            }
            return ExchangeRecord(
                subject: transfer, url: name.count == 2 ? String(name[1]) : "",
                method: name.first.map(String.init) ?? "", requestHeaders: fields,
                requestBodyBytes: sentBytes, status: head.statusCode,
                httpVersion: head.version,
                responseHeaders: head.fields.map { ($0.name, $0.value) },
                responseBodyBytes: receivedBytes,
                responseContentBytes: decodedBytes < 0 ? nil : decodedBytes,
                mimeType: head.value(of: "Content-Type") ?? "",
                startDate: flat.date(start), timings: timings,
                serverAddress: server.lastIndex(of: ":").map { String(server[..<$0]) },
                connection: sent > 0 ? "\(socket)" : nil,
                error: failure.isEmpty ? nil : failure)
        }
    }

    /// Those of an exchange that made its connection.
    private struct Connecting {
        let numbers: Numbers
        let times: ConnectingTimes

        static let kind = ExchangeKind { flat in
            let whole: Connecting = flat.next()
            return whole.numbers.record(whole.times.timings, &flat)
        }
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
