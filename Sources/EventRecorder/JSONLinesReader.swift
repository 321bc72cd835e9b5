import Foundation

/// Reads a recording line by line.
struct JSONLinesReader {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0
    private var line = 0
    private let texts = ReadTexts()
    private let decoder = RecordingCoding.decoder()

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    mutating func recording() throws -> Recording {
        let header = try object(named: "recording", as: RecordingHeader.self)
        guard header.version == RecordingHeader.version else {
            throw error("version \(header.version) is not known here")
        }
        var recording = Recording(
            dropped: header.dropped, startTime: header.startTime, startDate: header.startDate)
        recording.textsLeftOut = header.textsLeftOut ?? 0
        recording.processes = header.processes
        for (number, name) in header.threads {
            guard let number = UInt32(number) else { throw error("a thread has no number") }
            recording.threads[number] = name
        }
        guard header.events >= 0, header.exchanges >= 0 else { throw error("a count is below 0") }
        for _ in 0..<header.events {
            recording.events.append(try event(after: header.startTime))
        }
        recording.texts.all = [texts.end()]
        for _ in 0..<header.exchanges {
            recording.exchanges.append(try object(named: "exchange", as: ExchangeRecord.self))
        }
        return recording
    }

    private func error(_ reason: String) -> RecordingError {
        RecordingError(line: line, reason: reason)
    }

    private mutating func nextLine() throws -> UnsafeRawBufferPointer {
        line += 1
        let rest = bytes[position...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            throw error("is missing or cut")
        }
        position = end + 1
        return UnsafeRawBufferPointer(rebasing: rest[..<end])
    }

    // MARK: Header and exchanges

    private mutating func object<Value: Decodable>(
        named name: String, as type: Value.Type
    ) throws -> Value {
        let data = Data(try nextLine())
        do {
            let object = try decoder.decode([String: Value].self, from: data)
            if let value = object[name] { return value }
        } catch let problem {
            throw error("has no \(name): \(problem)")
        }
        throw error("has no \(name)")
    }

    // MARK: Events

    private mutating func event(after start: UInt64) throws -> Event {
        var fields = FlatJSON(try nextLine())
        do {
            return try event(from: &fields, after: start)
        } catch let problem {
            throw error(problem.reason)
        }
    }

    private mutating func event(
        from fields: inout FlatJSON, after start: UInt64
    ) throws(FlatJSON.Problem) -> Event {
        var time: Int64?
        var thread: UInt32?
        var kind: Event.Kind?
        var phase: Event.Phase?
        var event = Event(time: 0, kind: .note)
        while let name = try fields.nextName() {
            switch name {
            case "time": time = try fields.integer()
            case "thread": thread = try fields.integer()
            case "kind": kind = Event.Kind(name: try fields.string())
            case "phase": phase = Event.Phase(name: try fields.string())
            case "subject": event.subject = try fields.integer()
            case "value": event.value = try fields.integer()
            case "text": event.text = texts.text(for: try fields.string())
            default: throw FlatJSON.Problem(reason: "the field “\(name)” is not known here")
            }
        }
        guard let time, let thread, let kind, let phase else {
            throw FlatJSON.Problem(
                reason: "time, thread, kind or phase is missing or not known here")
        }
        event.time = start &+ UInt64(bitPattern: time)
        event.thread = thread
        event.kind = kind
        event.phase = phase
        return event
    }
}
