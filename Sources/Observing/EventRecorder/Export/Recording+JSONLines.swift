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

    /// Reads the output of ``jsonLines()``, in any process.
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
