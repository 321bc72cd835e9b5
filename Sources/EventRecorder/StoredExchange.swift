import Foundation

/// All of an exchange that is a number: it stands in its thread's log, behind the event of its end.
package struct ExchangeNumbers: BitwiseCopyable {
    /// In ticks; 0 for what was not.
    package var start: UInt64 = 0
    package var sent: UInt64 = 0
    package var answered: UInt64 = 0
    /// The connection's; 0 where none is known.
    package var socket: UInt64 = 0
    package var sentBytes: Int64 = 0
    package var receivedBytes: Int64 = 0
    /// Bytes behind a content coding; below 0 where there is none.
    package var decodedBytes: Int64 = -1
    /// Of `EventRecorder.keepTexts`.
    package var texts: UInt32 = 0
    /// Address and port of the other end, by its number among the recording's texts.
    private var serverNumber: UInt32 = 0

    package init() {}

    /// Address and port of the other end; a text of the recording that is made.
    package mutating func set(server: EventText) { serverNumber = server.number }

    /// Address and port, where the exchange is another recording's than they.
    package mutating func forgetServer() { serverNumber = 0 }

    fileprivate func server(in recording: UInt32) -> EventText {
        EventText(number: serverNumber, in: recording)
    }
}

/// When the phases of making a connection ended: microseconds from the exchange's start; 0 for a
/// phase that was not.
package struct ConnectingTimes: BitwiseCopyable, Equatable {
    private let lookUp, connected, secured: Int64
    /// So that it fills whole slots.
    private let filler: Int64 = 0

    package init(lookUp: Int64, connected: Int64, secured: Int64) {
        (self.lookUp, self.connected, self.secured) = (lookUp, connected, secured)
    }

    /// How long each took, in milliseconds.
    fileprivate var timings: ExchangeRecord.Timings {
        // Each time is from the start to the end of a phase.
        func span(_ from: Int64, _ to: Int64) -> Double? {
            to > 0 && to >= from ? Double(to - from) / 1000 : nil
        }
        return ExchangeRecord.Timings(
            dns: span(0, lookUp), connect: span(lookUp, connected), ssl: span(connected, secured))
    }
}

/// An exchange as it was found in a log.
struct StoredExchange {
    /// What it ended with: its transfer, the time, status, and method and address.
    var end: Event
    let numbers: ExchangeNumbers
    /// Of an exchange that made its connection.
    let connecting: ConnectingTimes?
    /// Address and port of the other end.
    private let server: EventText

    init(
        _ end: Event, _ numbers: ExchangeNumbers, _ connecting: ConnectingTimes?,
        of recording: UInt32 = 0
    ) {
        (self.end, self.numbers, self.connecting) = (end, numbers, connecting)
        server = numbers.server(in: recording)
    }

    // MARK: In a log

    private static let slot = MemoryLayout<StoredEvent>.stride
    static let numbersCount = MemoryLayout<ExchangeNumbers>.stride / slot
    private static let connectingCount = MemoryLayout<ConnectingTimes>.stride / slot

    /// How many slots all but the end takes.
    var slotCount: Int {
        connecting == nil ? Self.numbersCount : Self.numbersCount + Self.connectingCount
    }

    /// Fills them.
    func write(to slots: EventLog.Slot) {
        let place = UnsafeMutableRawPointer(slots)
        place.storeBytes(of: numbers, as: ExchangeNumbers.self)
        guard let connecting else { return }
        (place + Self.numbersCount * Self.slot)
            .storeBytes(of: connecting, as: ConnectingTimes.self)
    }

    /// - Parameter count: of the slots.
    init(_ end: Event, _ slots: EventLog.Slot, _ count: UInt64, _ recording: UInt32) {
        let place = UnsafeRawPointer(slots)
        self.init(
            end, place.load(as: ExchangeNumbers.self),
            count > Self.numbersCount
                ? (place + Self.numbersCount * Self.slot).load(as: ConnectingTimes.self) : nil,
            of: recording)
    }

    // MARK: At the end

    /// Its end is an event too, if it ever went out.
    var endEvent: Event? { numbers.sent > 0 ? end : nil }

    /// - Parameter texts: its own.
    func record(_ texts: ExchangeLog.Redacted, _ scale: TickScale) -> ExchangeRecord {
        let heads = texts.heads
        let (method, url) = methodAndURL
        // "127.0.0.1:80" or "::1:80".
        let server = server.string
        var timings = connecting?.timings ?? ExchangeRecord.Timings()
        if numbers.answered > 0 {
            timings.send = 0
            timings.wait = scale.milliseconds(from: numbers.sent, to: numbers.answered)
            timings.receive = scale.milliseconds(from: numbers.answered, to: end.time)
        }
        var record = ExchangeRecord(
            subject: end.subject, url: url, method: method,
            requestBodyBytes: numbers.sentBytes, status: Int(end.value),
            httpVersion: heads.version, responseBodyBytes: numbers.receivedBytes,
            responseContentBytes: numbers.decodedBytes < 0 ? nil : numbers.decodedBytes,
            mimeType: heads.mimeType, startDate: scale.date(numbers.start), timings: timings,
            serverAddress: server.lastIndex(of: ":").map { String(server[..<$0]) },
            connection: numbers.sent > 0 ? "\(numbers.socket)" : nil,
            error: heads.failure.isEmpty ? nil : heads.failure)
        record.requestHeaders = texts.requestHeaders
        record.responseHeaders = texts.responseHeaders
        if texts.areLeftOut || isNameMissing { record.leftOut = true }
        return record
    }

    /// "GET http://host/path" in two.
    private var methodAndURL: (String, String) {
        let name = end.text.string
        if isNameMissing { return ("UNKNOWN", name) }
        guard let space = name.firstIndex(of: " ") else { return (name, "") }
        return (String(name[..<space]), String(name[name.index(after: space)...]))
    }

    private var isNameMissing: Bool { end.text == .leftOut || end.text == .gone }
}
