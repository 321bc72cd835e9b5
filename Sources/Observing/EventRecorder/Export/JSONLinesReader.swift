import Foundation

struct JSONLinesReader {
    private var rest: Data
    private var line = 0
    private let texts = TextTable.beginReading()
    private let decoder = RecordingCoding.decoder()

    init(_ bytes: Data) { rest = bytes }

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
        recording.orderEvents()
        recording.texts.all = [texts]
        for _ in 0..<header.exchanges {
            recording.exchanges.append(try object(named: "exchange", as: ExchangeRecord.self))
        }
        return recording
    }

    private func error(_ reason: String) -> RecordingError {
        RecordingError(line: line, reason: reason)
    }

    private mutating func nextLine() throws -> Data {
        line += 1
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            throw error("is missing or cut")
        }
        defer { rest = rest[(end + 1)...] }
        return rest[..<end]
    }

    private mutating func object<Value: Decodable>(
        named name: String, as type: Value.Type
    ) throws -> Value {
        let data = try nextLine()
        do {
            if let value = try decoder.decode([String: Value].self, from: data)[name] {
                return value
            }
        } catch let problem {
            throw error("has no \(name): \(problem)")
        }
        throw error("has no \(name)")
    }

    private mutating func event(after start: UInt64) throws -> Event {
        let data = try nextLine()
        guard var fields = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw error("is no JSON object")
        }
        /// Nil where a field is missing.
        func take<Value>(_ name: String, as type: Value.Type = Value.self) throws -> Value? {
            guard let field = fields.removeValue(forKey: name) else { return nil }
            guard let value = field as? Value else { throw error("“\(name)” has a wrong type") }
            return value
        }
        guard let time = try take("time", as: Int64.self),
            let thread = try take("thread", as: UInt32.self),
            let kind = try take("kind").flatMap(Event.Kind.init(name:)),
            let phase = try take("phase").flatMap(Event.Phase.init(name:))
        else { throw error("time, thread, kind or phase is missing or not known here") }
        let event = Event(
            time: start &+ UInt64(bitPattern: time), subject: try take("subject") ?? 0,
            value: try take("value") ?? 0,
            text: TextTable.text(for: try take("text") ?? "", of: .decoded(texts)),
            thread: thread, kind: kind, phase: phase)
        if let name = fields.keys.first { throw error("the field “\(name)” is not known here") }
        return event
    }
}
