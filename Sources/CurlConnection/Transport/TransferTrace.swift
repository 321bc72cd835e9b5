import CCurl
import EventRecorder
import Foundation

/// What a recording sees of one exchange; there is none while nothing is recorded.
///
/// For the transport's thread.
struct TransferTrace {
    private let number = EventRecorder.nextNumber()
    /// Method and address, redacted as the record's will be.
    private let name: EventText
    private var start = Date()
    private var handshake: UInt64?
    private var socket: UInt64?
    private var server = ""
    private var head: ResponseHead?
    private var receivedBytes: Int64 = 0
    /// Bytes behind a content coding; nil where there is none.
    private var decodedBytes: Int64?
    private var sentBytes: Int64 = 0
    var failure: URLError?

    init?(_ request: TransferRequest) {
        guard EventRecorder.isRecording else { return nil }
        name = RequestName.text(
            method: request.method, url: request.url, likely: request.name)
    }

    mutating func handshakeBegins() {
        handshake = MonotonicClock.now
    }

    /// More than once where libcurl answers a challenge by itself.
    mutating func willSend(
        _ request: TransferRequest, on sockets: SocketTrace, _ descriptor: Int32?,
        _ ends: ConnectionEnds
    ) {
        if socket != nil {
            endRequest(request, sockets, nil)
            begin()
        }
        let socket = descriptor.map { sockets.ready($0, ends, handshake: handshake) } ?? 0
        self.socket = socket
        server = ends.remoteAddress
        EventRecorder.begin(.transfer, subject: number, value: Int64(socket), text: name)
    }

    /// The same transfer goes out once more.
    private mutating func begin() {
        start = Date()
        head = nil
        receivedBytes = 0
        decodedBytes = nil
        sentBytes = 0
    }

    mutating func didReceive(_ head: ResponseHead) {
        self.head = head
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

    /// The exchange is over. One that never went out counts where it failed.
    ///
    /// Mutating, though it changes nothing: else who holds an optional one would copy it for the call.
    mutating func end(_ request: TransferRequest, _ sockets: SocketTrace, _ easy: CurlEasyHandle?) {
        if socket != nil || failure != nil { endRequest(request, sockets, easy) }
    }

    private func endRequest(
        _ request: TransferRequest, _ sockets: SocketTrace, _ easy: CurlEasyHandle?
    ) {
        if socket != nil {
            EventRecorder.end(
                .transfer, subject: number, value: Int64(head?.statusCode ?? 0), text: name)
        }
        sockets.flat.removeAll()
        write(request, easy, to: &sockets.flat)
        EventRecorder.exchange(sockets.flat, Self.record)
    }

    // MARK: Kept until the recording stops

    /// All of an exchange that is a number.
    private struct Numbers {
        let transfer: UInt64
        let name: UInt32
        let sentBytes: Int64
        let receivedBytes: Int64
        let decodedBytes: Int64?
        let start: TimeInterval
        let socket: UInt64?
        let phases: PhaseTimes?
    }

    private func write(
        _ request: TransferRequest, _ easy: CurlEasyHandle?, to flat: inout FlatBytes
    ) {
        flat.append(
            Numbers(
                transfer: number, name: name.number, sentBytes: sentBytes,
                receivedBytes: receivedBytes, decodedBytes: decodedBytes,
                start: start.timeIntervalSinceReferenceDate, socket: socket,
                phases: easy.map(PhaseTimes.init)))
        flat.append(request.method)
        flat.append(server)
        flat.append(failure?.localizedDescription ?? "")
        (head ?? ResponseHead(version: "HTTP/1.1", statusCode: 0)).append(to: &flat)
        flat.append(request.fields.count)
        for (name, value) in request.fields {
            flat.append(name)
            flat.append(value)
        }
    }

    @Sendable
    private static func record(from flat: inout FlatBytesReader) -> ExchangeRecord {
        let numbers: Numbers = flat.next()
        let name = EventText(number: numbers.name).string
        let (method, server, failure): (String, String, String) = (
            flat.next(), flat.next(), flat.next()
        )
        let head = ResponseHead(from: &flat)
        let count: Int = flat.next()
        let fields: [(name: String, value: String)] = (0..<count).map { _ in
            (flat.next(), flat.next())
        }
        return ExchangeRecord(
            subject: numbers.transfer, url: String(name.dropFirst(method.count + 1)),
            method: method, requestHeaders: fields, requestBodyBytes: numbers.sentBytes,
            status: head.statusCode, httpVersion: head.version,
            responseHeaders: head.fields.map { ($0.name, $0.value) },
            responseBodyBytes: numbers.receivedBytes, responseContentBytes: numbers.decodedBytes,
            mimeType: head.value(of: "Content-Type") ?? "",
            startDate: Date(timeIntervalSinceReferenceDate: numbers.start),
            timings: numbers.phases?.timings ?? ExchangeRecord.Timings(),
            serverAddress: server.isEmpty ? nil : server,
            connection: numbers.socket.map { "\($0)" }, error: failure.isEmpty ? nil : failure)
    }
}

/// When the phases of an exchange ended, as libcurl measured it: microseconds from the start; 0 for
/// a phase that was not.
private struct PhaseTimes {
    private let isNew: Bool
    private let lookUp: Int64
    private let connected: Int64
    private let secured: Int64
    private let sending: Int64
    private let answering: Int64
    private let total: Int64

    init(_ easy: CurlEasyHandle) {
        isNew = easy.long(CURLINFO_NUM_CONNECTS) > 0
        lookUp = isNew ? easy.offset(CURLINFO_NAMELOOKUP_TIME_T) : 0
        connected = isNew ? easy.offset(CURLINFO_CONNECT_TIME_T) : 0
        secured = isNew ? easy.offset(CURLINFO_APPCONNECT_TIME_T) : 0
        sending = easy.offset(CURLINFO_PRETRANSFER_TIME_T)
        answering = easy.offset(CURLINFO_STARTTRANSFER_TIME_T)
        total = easy.offset(CURLINFO_TOTAL_TIME_T)
    }

    /// How long each took, in milliseconds.
    var timings: ExchangeRecord.Timings {
        // Each time is from the start to the end of a phase.
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
