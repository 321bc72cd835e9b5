public import Foundation

extension Recording {
    /// The recording as JSON objects, one a line.
    ///
    /// The first line tells version, process, start, names of threads, and how many lines follow.
    /// Then comes a line for each event, such as
    /// `{"time":1250,"kind":"lockHold","phase":"begin","thread":4711,"subject":1,"value":1}`, with
    /// `time` in nanoseconds from the start; `subject` and `value` are left out where they are 0,
    /// `text` where there is none. Then a line for each exchange: `{"exchange":{…}}`.
    public func jsonLines() -> Data {
        let encoder = RecordingCoding.encoder()
        var json = JSONText()
        json.reserve(events.count * 110 + 1024)
        json.raw("{\"recording\":")
        json.raw((try? encoder.encode(RecordingHeader(self))) ?? Data())
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
        json.raw("{\"time\":")
        // Below 0 in a recording that somebody made by hand.
        json.write(Int64(bitPattern: event.time &- startTime))
        json.raw(",\"kind\":\"")
        json.raw(event.kind.name)
        json.raw("\",\"phase\":\"")
        json.raw(event.phase.name)
        json.raw("\",\"thread\":")
        json.write(event.thread)
        if event.subject != 0 {
            json.raw(",\"subject\":")
            json.write(event.subject)
        }
        if event.value != 0 {
            json.raw(",\"value\":")
            json.write(event.value)
        }
        if event.text != .none {
            json.raw(",\"text\":")
            json.write(event.text)
        }
        json.raw("}\n")
    }

    /// Reads what ``jsonLines()`` wrote, in any process.
    ///
    /// - Throws: ``RecordingError`` with the number of the first line that is not as it should be.
    public init(jsonLines: Data) throws {
        self = try jsonLines.withUnsafeBytes { bytes in
            var reader = JSONLinesReader(bytes)
            return try reader.recording()
        }
    }
}

/// Why bytes are no recording.
public struct RecordingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// What is wrong with it.
    public let reason: String

    /// Both in a sentence.
    public var description: String { "Line \(line) of the recording: \(reason)" }
}
