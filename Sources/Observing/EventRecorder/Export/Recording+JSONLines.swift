public import Foundation

extension Recording {
    /// The recording as JSON objects, one on each line.
    ///
    /// The first line has version, process, start, names of threads, and how many lines follow.
    /// Then comes a line for each event, such as
    /// `{"time":1250,"kind":"lockHold","phase":"begin","thread":4711,"subject":1,"value":1}`, with
    /// `time` in nanoseconds from the start; `subject` and `value` are left out where they are 0,
    /// `text` where there is none. Then a line for each exchange: `{"exchange":{…}}`.
    public func jsonLines() -> Data {
        let encoder = RecordingCoding.encoder()
        let header = RecordingHeader(
            process: process, startTime: startTime, startDate: startDate, dropped: dropped,
            textsLeftOut: textsLeftOut,
            threads: Dictionary(uniqueKeysWithValues: threads.map { (String($0.key), $0.value) }),
            processes: processes, events: events.count, exchanges: exchanges.count)
        var json = JSONText()
        json.reserve(events.count * 110 + 1024)
        json.raw("{\"recording\":")
        json.raw((try? encoder.encode(header)) ?? Data())
        json.raw("}\n")
        for event in events { write(event, to: &json) }
        for exchange in exchanges {
            json.raw("{\"exchange\":")
            json.raw((try? encoder.encode(exchange)) ?? Data())
            json.raw("}\n")
        }
        return Data(json.bytes)
    }

    private func write(_ event: Event, to json: inout JSONText) {
        // Negative in a recording that a program composed.
        let time = Int64(bitPattern: event.time &- startTime)
        json.raw(#"{"time":\#(time),"kind":"\#(event.kind.name)","phase":"\#(event.phase.name)""#)
        json.raw(#","thread":\#(event.thread)"#)
        if event.subject != 0 { json.raw(#","subject":\#(event.subject)"#) }
        if event.value != 0 { json.raw(#","value":\#(event.value)"#) }
        if event.text != .none {
            json.raw(#","text":"#)
            json.write(event.text)
        }
        json.raw("}\n")
    }

    /// Reads the output of ``jsonLines()``, in any process, and orders the events by time.
    ///
    /// - Throws: ``RecordingError`` with the number of the first invalid line.
    public init(jsonLines: Data) throws {
        var reader = JSONLinesReader(jsonLines)
        self = try reader.recording()
    }
}

/// Why bytes are not a recording.
public struct RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// What is wrong with it.
    public let reason: String

    /// Both as one sentence.
    public var description: String { "Line \(line) of the recording: \(reason)" }
}

/// The first line of a recording that is written as JSON lines.
struct RecordingHeader: Codable {
    static let version = 1

    var version = Self.version
    let process: String
    let startTime: UInt64
    let startDate: Date
    /// The number of events and exchanges that were not stored, since the recording was full.
    let dropped: Int
    /// How many texts of events and exchanges were left out because a limit for texts was reached; nil in a file of an
    /// earlier version of the package.
    let textsLeftOut: Int?
    /// The names of threads; a key is the kernel's thread id in decimal digits.
    let threads: [String: String]
    let processes: [Recording.Process]
    /// How many lines of events follow the header, and how many lines of exchanges follow the events.
    let events, exchanges: Int
}

/// Encodes and decodes the header and the exchanges of a recording. Events are written and read by hand, since
/// `Codable` is slow.
enum RecordingCoding {
    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Timestamp.text(date))
        }
        return encoder
    }

    static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = Timestamp.date(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "Not a date in ISO 8601 with milliseconds.")
            }
            return date
        }
        return decoder
    }
}
