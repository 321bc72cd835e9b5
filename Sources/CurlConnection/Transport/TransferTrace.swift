import CCurl
import EventRecorder
import Foundation

/// What a recording sees of one exchange; there is none while nothing is recorded.
///
/// For the transport's thread.
struct TransferTrace {
    private let number = EventRecorder.nextNumber()
    private let request: TransferRequest
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
        self.request = request
        name = EventText(method: request.method, url: request.url)
    }

    mutating func handshakeBegins() {
        handshake = MonotonicClock.now
    }

    /// More than once where libcurl answers a challenge by itself.
    mutating func willSend(on sockets: SocketTrace, _ descriptor: Int32?, _ ends: ConnectionEnds) {
        if socket != nil { endRequest(nil) }
        let socket = descriptor.map { sockets.ready($0, ends, handshake: handshake) } ?? 0
        self.socket = socket
        server = ends.remoteAddress
        EventRecorder.begin(.transfer, subject: number, value: Int64(socket), text: name)
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
    mutating func end(_ easy: CurlEasyHandle?) {
        if socket != nil || failure != nil { endRequest(easy) }
    }

    private mutating func endRequest(_ easy: CurlEasyHandle?) {
        if socket != nil {
            EventRecorder.end(
                .transfer, subject: number, value: Int64(head?.statusCode ?? 0), text: name)
        }
        EventRecorder.exchange(flat(easy), Self.record)
        socket = nil
        start = Date()
        head = nil
        receivedBytes = 0
        decodedBytes = nil
        sentBytes = 0
    }

    // MARK: Kept until the recording stops

    private static let none: Int64 = -1

    private func flat(_ easy: CurlEasyHandle?) -> FlatBytes {
        var flat = FlatBytes()
        flat.append(Int64(number))
        flat.append(Int64(name.number))
        flat.append(request.method)
        flat.append(Int64(request.fields.count))
        for (name, value) in request.fields {
            flat.append(name)
            flat.append(value)
        }
        flat.append(sentBytes)
        flat.append(receivedBytes)
        flat.append(decodedBytes ?? Self.none)
        flat.append(Int64(bitPattern: start.timeIntervalSinceReferenceDate.bitPattern))
        flat.append(server)
        flat.append(socket.map(Int64.init) ?? Self.none)
        flat.append(failure?.localizedDescription ?? "")
        (head ?? ResponseHead(version: "HTTP/1.1", statusCode: 0)).append(to: &flat)
        PhaseTimes(easy).append(to: &flat)
        return flat
    }

    @Sendable
    private static func record(from flat: inout FlatBytesReader) -> ExchangeRecord {
        let number = UInt64(flat.number())
        let name = EventText(number: UInt32(flat.number())).string
        let method = flat.text()
        let fields = (0..<flat.number()).map { _ in (name: flat.text(), value: flat.text()) }
        let (sent, received, decoded) = (flat.number(), flat.number(), flat.number())
        let start = Date(
            timeIntervalSinceReferenceDate: Double(bitPattern: UInt64(bitPattern: flat.number())))
        let (server, socket, failure) = (flat.text(), flat.number(), flat.text())
        let head = ResponseHead(from: &flat)
        return ExchangeRecord(
            subject: number, url: String(name.dropFirst(method.count + 1)), method: method,
            requestHeaders: fields, requestBodyBytes: sent, status: head.statusCode,
            httpVersion: head.version, responseHeaders: head.fields.map { ($0.name, $0.value) },
            responseBodyBytes: received, responseContentBytes: decoded == none ? nil : decoded,
            mimeType: head.value(of: "Content-Type") ?? "", startDate: start,
            timings: PhaseTimes(from: &flat).timings, serverAddress: server.isEmpty ? nil : server,
            connection: socket == none ? nil : "\(socket)", error: failure.isEmpty ? nil : failure)
    }
}

/// When the phases of an exchange ended, as libcurl measured it: microseconds from the start; 0 for
/// a phase that was not.
private struct PhaseTimes {
    /// How many connections were made; -1 where nothing was measured.
    private let connections: Int64
    private let lookUp: Int64
    private let connected: Int64
    private let secured: Int64
    private let sending: Int64
    private let answering: Int64
    private let total: Int64

    init(_ easy: CurlEasyHandle?) {
        connections = easy.map { Int64($0.long(CURLINFO_NUM_CONNECTS)) } ?? -1
        lookUp = easy?.offset(CURLINFO_NAMELOOKUP_TIME_T) ?? 0
        connected = easy?.offset(CURLINFO_CONNECT_TIME_T) ?? 0
        secured = easy?.offset(CURLINFO_APPCONNECT_TIME_T) ?? 0
        sending = easy?.offset(CURLINFO_PRETRANSFER_TIME_T) ?? 0
        answering = easy?.offset(CURLINFO_STARTTRANSFER_TIME_T) ?? 0
        total = easy?.offset(CURLINFO_TOTAL_TIME_T) ?? 0
    }

    init(from flat: inout FlatBytesReader) {
        connections = flat.number()
        lookUp = flat.number()
        connected = flat.number()
        secured = flat.number()
        sending = flat.number()
        answering = flat.number()
        total = flat.number()
    }

    func append(to flat: inout FlatBytes) {
        for number in [connections, lookUp, connected, secured, sending, answering, total] {
            flat.append(number)
        }
    }

    /// How long each took, in milliseconds.
    var timings: ExchangeRecord.Timings {
        // Each time is from the start to the end of a phase.
        func span(_ from: Int64, _ to: Int64) -> Double? {
            to > 0 && to >= from ? Double(to - from) / 1000 : nil
        }
        guard connections >= 0 else { return ExchangeRecord.Timings() }
        let isNew = connections > 0
        return ExchangeRecord.Timings(
            blocked: nil, dns: isNew ? span(0, lookUp) : nil,
            connect: isNew ? span(lookUp, connected) : nil,
            ssl: isNew ? span(connected, secured) : nil, send: 0,
            wait: span(sending, answering), receive: span(answering, total))
    }
}
